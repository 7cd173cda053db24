import { type Clock, elementCount, type Tensor, type TensorSlices, type TensorValue } from '@brezel/core';
import { runtimeError } from '../../errors.js';
import type { CallLimits } from '../../features/admission/call-limits.js';
import { blockSignal } from '../bounded-concurrency.js';
import { ownSlice } from '../event-loop-slicing.js';
import { admitTensors, type TensorInputs } from './admit-tensors.js';
import type { TensorsRecord } from './registered-tensors.js';

/** The outputs of one request by name. Absent outputs are not included. */
export type TensorOutputs = Readonly<Record<string, TensorValue>>;

/**
 * A request runs for at most this many milliseconds, plus the time of one block of an operator,
 * before the event loop can run. An operator without blocks runs as a whole. The pauses matter
 * because a request can set the number of rounds of a Loop, which may take seconds.
 */
const SLICE_MS = 0.5;

/**
 * The clock and limits of a request. `check` throws if the request must end, for example after the
 * deadline.
 */
export interface TensorWatch {
  readonly clock: Clock;
  readonly limits: CallLimits | undefined;
  check(): void;
}

/**
 * Answers one request. An output may be an input or a constant of the program. Such an output is
 * copied, because the caller may change it.
 *
 * @throws ERR_RUNTIME_INPUT if the caller has transferred or resized the data of an input that is
 * also an output, and the errors of the program.
 */
export async function runTensors(
  { program, limits, kernels, stages }: TensorsRecord,
  inputs: TensorInputs,
  watch: TensorWatch,
): Promise<TensorOutputs> {
  const admitted = admitTensors(program.inputs, inputs);
  const slices = new Slices(watch);
  using ended = blockSignal(stages && watch.limits, watch.check);
  const values = await program.runLater(
    admitted,
    async (box, boxInputs) => {
      const results = await stages!.run(box, boxInputs, ended.signal);
      slices.begin();
      return results;
    },
    slices,
    limits,
    kernels,
  );
  return Object.fromEntries(
    program.outputs.flatMap(({ name }, at) => (values[at] === undefined ? [] : [[name, ownedValue(values[at], name)]])),
  );
}

/**
 * Divides the work of one request into slices. In each turn of the event loop, all requests and
 * batches of the thread together have one slice.
 */
class Slices implements TensorSlices {
  readonly #watch: TensorWatch;
  #start: number;

  constructor(watch: TensorWatch) {
    this.#watch = watch;
    this.#start = watch.clock.now();
  }

  begin(): void {
    this.#start = this.#watch.clock.now();
  }

  isOver(): boolean {
    return this.#watch.clock.now() - this.#start >= SLICE_MS;
  }

  async next(): Promise<void> {
    this.#watch.check();
    await ownSlice();
    this.#watch.check();
    this.begin();
  }
}

const ownedValue = (value: TensorValue, output: string): TensorValue =>
  value.element === 'sequence'
    ? { element: 'sequence', tensors: value.tensors.map((tensor) => ownedTensor(tensor, output)) }
    : ownedTensor(value, output);

/**
 * Returns a copy of a tensor. The tensor may share the data of an input, whose buffer the caller
 * may have transferred to another thread since the call.
 *
 * @throws ERR_RUNTIME_INPUT
 */
function ownedTensor({ element, shape, data }: Tensor, output: string): Tensor {
  const count = elementCount(shape);
  if (data.length !== count)
    throw runtimeError('ERR_RUNTIME_INPUT', {
      expected: `${count} elements during the whole request`,
      received: `${data.length} elements`,
      at: `output "${output}", which shares the data of an input`,
      hint: 'transfer or resize the buffer of an input only after the answer',
    });
  return { element, shape: [...shape], data: data.slice() } as Tensor;
}
