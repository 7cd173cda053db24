import type { RunnableTensors, TensorLimits, TensorPort } from '@brezel/core';
import { runtimeError } from '../errors.js';

export interface RegisterTensorsOptions extends Partial<TensorLimits> {
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
}

/** @throws ERR_RUNTIME_OPTION for a limit that is no count. */
export function tensorsRecord(program: RunnableTensors, options: RegisterTensorsOptions): TensorsRecord {
  const { name = program.name, ...limits } = options;
  for (const [limit, value] of Object.entries(limits)) {
    if (Number.isSafeInteger(value) && value >= 0) continue;
    throw runtimeError('ERR_RUNTIME_OPTION', { expected: `${limit}, a count`, received: `${value}`, at: name });
  }
  return { name, inputs: program.inputs, outputs: program.outputs, program, limits };
}
