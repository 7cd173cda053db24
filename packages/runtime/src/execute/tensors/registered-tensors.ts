import {
  type Backend,
  type BackendOptions,
  optionNames,
  type RunnableTensors,
  type TensorKernels,
  type TensorLimits,
  type TensorPort,
} from '@brezel/core';
import { runtimeError } from '../../errors.js';
import type { OpenBox } from '../../features/devices/box-devices.js';
import { checkRuntimeOptions } from '../../option-names.js';
import { describe } from '../rows/elements.js';
import { BlackBoxStages } from './black-box-stages.js';

/** Options of a tensor program. `device` and `providers` select where its black boxes run. */
export interface RegisterTensorsOptions extends Partial<TensorLimits>, BackendOptions {
  readonly name?: string;
}

const registerTensorsOptionNames = optionNames<RegisterTensorsOptions>({
  name: true,
  maxElements: true,
  maxSteps: true,
  device: true,
  providers: true,
});

/** A tensor program in a runtime. `registerTensors` returns it and `predictTensors` takes it. */
export interface RegisteredTensors {
  readonly name: string;
  readonly inputs: readonly TensorPort[];
  readonly outputs: readonly TensorPort[];
}

/** A registered tensor program with the fields that only the runtime uses. */
export interface TensorsRecord extends RegisteredTensors {
  readonly program: RunnableTensors;
  readonly limits: Partial<TensorLimits>;
  /** The kernels of the addon, if it is loaded. */
  readonly kernels: TensorKernels | undefined;
  /** The open stages of the program's black boxes. */
  readonly stages?: BlackBoxStages;
}

/**
 * Creates the record of a tensor program.
 * @throws ERR_RUNTIME_VERSION for an invalid program; ERR_RUNTIME_OPTION for an invalid limit;
 * ERR_BACKEND_MISSING when no backend supports its black boxes.
 */
export function tensorsRecord(
  program: RunnableTensors,
  options: RegisterTensorsOptions,
  backends: readonly Backend[],
  kernels: TensorKernels | undefined,
  openBox: OpenBox,
  nameFor: (explicit: string | undefined, usual: string) => string,
): TensorsRecord {
  if (!Array.isArray(program?.inputs) || !Array.isArray(program.blackBoxes))
    throw runtimeError('ERR_RUNTIME_VERSION', {
      expected: 'a program over whole tensors',
      received: describe(program),
      at: 'registerTensors',
      hint: 'registerTensors(importTensors(bytes).program); plans go to register',
    });
  checkRuntimeOptions(options, registerTensorsOptionNames, 'registerTensors');
  const { name: explicit, device, providers, ...limits } = options;
  const name = nameFor(explicit, program.name);
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
