import type { Backend, BackendOptions, RunnableTensors, TensorKernels, TensorLimits, TensorPort } from '@brezel/core';
import { runtimeError } from '../../errors.js';
import type { OpenBox } from '../../features/devices/box-devices.js';
import { describe } from '../elements.js';
import { BlackBoxStages } from './black-box-stages.js';

/** `device` and `providers`: where its black boxes run, if it has any. */
export interface RegisterTensorsOptions extends Partial<TensorLimits>, BackendOptions {
  readonly name?: string;
}

/** A tensor program in a runtime: what `registerTensors` returns and `predictTensors` takes. */
export interface RegisteredTensors {
  readonly name: string;
  readonly inputs: readonly TensorPort[];
  readonly outputs: readonly TensorPort[];
}

/** What the runtime keeps of it. */
export interface TensorsRecord extends RegisteredTensors {
  readonly program: RunnableTensors;
  readonly limits: Partial<TensorLimits>;
  /** The addon's, where there is one. */
  readonly kernels: TensorKernels | undefined;
  /** Of its black boxes. */
  readonly stages?: BlackBoxStages;
}

/**
 * @throws ERR_RUNTIME_VERSION for what is no program, ERR_RUNTIME_OPTION for a limit that is no
 * count; ERR_BACKEND_MISSING when black boxes have no backend.
 */
export function tensorsRecord(
  program: RunnableTensors,
  options: RegisterTensorsOptions,
  backends: readonly Backend[],
  kernels: TensorKernels | undefined,
  openBox: OpenBox,
): TensorsRecord {
  if (!Array.isArray(program?.inputs) || !Array.isArray(program.blackBoxes))
    throw runtimeError('ERR_RUNTIME_VERSION', {
      expected: 'a program over whole tensors',
      received: describe(program),
      at: 'registerTensors',
      hint: 'registerTensors(importTensors(bytes).program); plans go to register',
    });
  const { name = program.name, device, providers, ...limits } = options;
  for (const [limit, value] of Object.entries(limits)) {
    if (Number.isSafeInteger(value) && value >= 0) continue;
    throw runtimeError('ERR_RUNTIME_OPTION', { expected: `${limit}, a count`, received: `${value}`, at: name });
  }
  const { inputs, outputs, blackBoxes } = program;
  if (blackBoxes.length === 0) return { name, inputs, outputs, program, limits, kernels };
  const places = { ...(device !== undefined && { device }), ...(providers !== undefined && { providers }) };
  const stages = new BlackBoxStages(blackBoxes, backends, places, openBox);
  return { name, inputs, outputs, program, limits, kernels, stages };
}
