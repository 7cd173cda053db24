import type { Clock, Tensor, TensorSlices, TensorValue } from '@brezel/core';
import type { CallLimits } from '../../features/admission/call-limits.js';
import { blockSignal } from '../bounded-concurrency.js';
import { ownSlice } from '../event-loop-slicing.js';
import { admitTensors, type TensorInputs } from './admit-tensors.js';
import type { TensorsRecord } from './registered-tensors.js';

/** The outputs of one request by name. Absent outputs are not included. */
export type TensorOutputs = Readonly<Record<string, TensorValue>>;

/**
 * A request works for at most this many milliseconds without a pause, plus the time of one node. A
 * Loop may run for seconds, because its trip count may be data of the request.
 */
const SLICE_MS = 0.5;

/**
 * Checks whether a request may continue. `check` throws if it may not, for example after the
 * deadline.
 */
export interface TensorWatch {
  readonly clock: Clock;
  readonly limits: CallLimits | undefined;
  check(): void;
}

/**
 * Answers one request. It copies outputs that are inputs or constants, because the caller owns the
 * outputs.
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
    program.outputs.flatMap(({ name }, at) => (values[at] === undefined ? [] : [[name, ownedValue(values[at])]])),
  );
}

/**
 * Runs one request in slices. All requests and batches of the thread share the slices of the event
 * loop.
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

const ownedValue = (value: TensorValue): TensorValue =>
  value.element === 'sequence' ? { element: 'sequence', tensors: value.tensors.map(ownedTensor) } : ownedTensor(value);

const ownedTensor = ({ element, shape, data }: Tensor): Tensor =>
  ({ element, shape: [...shape], data: data.slice() }) as Tensor;
