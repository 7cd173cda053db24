import {
  type CallOptions,
  createRuntime,
  importTensors,
  type ObjectStore,
  type RegisterTensorsOptions,
  type TensorInputs,
} from 'brezel';
import { turns } from '../../../../testing/turns.js';

/** A clock that advances by a fixed time, in milliseconds, whenever it is read. */
export class ReadClock {
  #now = 0;
  readonly #step: number;
  readonly now = () => (this.#now += this.#step);
  readonly setTimeout = () => ({ cancel: () => undefined, unref: () => this.setTimeout() });

  constructor(step = 0.25) {
    this.#step = step;
  }
}

/** Runs a request. Counts the turns of the event loop from the call to the answer. */
export async function countTurns(
  store: ObjectStore,
  bytes: Uint8Array,
  inputs: TensorInputs,
  options: CallOptions = {},
  limits: RegisterTensorsOptions = {},
  clock = new ReadClock(),
) {
  await using runtime = createRuntime({ store, clock: clock as never });
  const tensors = runtime.registerTensors(importTensors(bytes).program, limits);
  let count = 0;
  let isOver = false;
  const end = () => {
    isOver = true;
  };
  const request = runtime.predictTensors(tensors, inputs, options);
  request.then(end, end);
  while (!isOver) {
    await turns();
    count++;
  }
  return { outputs: await request, turns: count };
}
