import { type InspectParameters, inspectKey, inspectView, portTypes, type Row } from '@brezel/core';
import type { RegisteredPlan } from './registered-plan.js';
import { type PlanSchemas, planSchemas } from './schemas/standard-schema.js';

/**
 * The prototype of registered plans: their schemas, and the text that `console.log` prints. All
 * plans share these methods, so that registering a plan creates no closures.
 */
export const planMethods = {
  __proto__: planSchemas,
  [inspectKey](this: RegisteredPlan, ...parameters: InspectParameters): string {
    const { name, inputs, outputs, engine, nanosPerRow } = this;
    const ports = { inputs: portTypes(inputs), outputs: portTypes(outputs) };
    return inspectView('RegisteredPlan', { name, ...ports, engine, nanosPerRow }, parameters);
  },
} as unknown as PlanSchemas<Row>;
