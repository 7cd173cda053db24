import type { Runtime } from '@brezel/runtime';
import { type RuntimeOptions, runtimeOver } from '../create-runtime.js';
import { servingKernels } from './operators.js';

/**
 * As `createRuntime` of `brezel`, for plans out of fleet files. Stages stay on the CPU: `device` of `register` wants the runtime of `brezel`.
 *
 * @example
 * const fleet = await openFleet(`${folder}/fleet.brezel`, { verify: false });
 * const runtime = createRuntime({ store: fleet.store });
 * const plan = fleet.plan(fleet.names[0]);
 * const registered = runtime.register(plan);
 * plan.release();
 * fleet.close();
 */
export const createRuntime = (options: RuntimeOptions): Runtime => runtimeOver({ kernels: servingKernels }, options);
