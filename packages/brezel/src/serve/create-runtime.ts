import type { Runtime } from '@brezel/runtime';
import { type RuntimeOptions, runtimeOver } from '../create-runtime.js';
import { servingKernels } from './operators.js';

/**
 * Creates a runtime for plans from fleet files. It works like `createRuntime` of `brezel`, but all
 * stages run on the CPU. The option `device` of `register` needs the runtime of `brezel`.
 *
 * @throws ERR_RUNTIME_OPTION for an option out of range, or without a store.
 * @example
 * const fleet = await openFleet(`${folder}/fleet.brezel`, { verify: false });
 * const runtime = createRuntime({ store: fleet.store });
 * const plan = fleet.plan(fleet.names[0]);
 * const registered = runtime.register(plan);
 * plan.release();
 * fleet.close();
 */
export const createRuntime = (options: RuntimeOptions): Runtime => runtimeOver({ kernels: servingKernels }, options);
