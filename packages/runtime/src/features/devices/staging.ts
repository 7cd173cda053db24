import {
  type BackendTensor,
  type BackendTensors,
  backendError,
  type DenseBlock,
  type DeviceStageForm,
  dense,
  elementCount,
  numericArray,
} from '@brezel/core';

/** The inputs of one request for a device stage. */
export interface StagedRows {
  readonly inputs: readonly DenseBlock<'float32'>[];
  readonly rows: number;
}

type Numbers = Float32Array<ArrayBuffer> | BigInt64Array<ArrayBuffer>;

/**
 * Arrays for the inputs and outputs of one device call. They are reused for later calls, and grow
 * to the size of the largest call.
 */
export class Staging {
  readonly #form: DeviceStageForm;
  #capacity = 0;
  #inputs: readonly Float32Array[] = [];
  #outputs: readonly Numbers[] = [];

  constructor(form: DeviceStageForm) {
    this.#form = form;
  }

  /**
   * Returns the inputs of a call: the joined rows of several requests, or the rows of a single
   * request without a copy.
   */
  feeds(group: readonly StagedRows[], rows: number): BackendTensors {
    this.#grow(rows);
    const tensors = this.#form.inputs.map(({ name, size }, at): [string, BackendTensor] => {
      const data = group.length === 1 ? group[0]!.inputs[at]!.values : this.#joined(group, at, size, rows);
      return [name, { element: 'float32', shape: [rows, size], data } as BackendTensor];
    });
    return Object.fromEntries(tensors);
  }

  #joined(group: readonly StagedRows[], at: number, size: number, rows: number): Float32Array {
    const all = this.#inputs[at]!;
    let start = 0;
    for (const request of group) {
      all.set(request.inputs[at]!.values, start);
      start += request.rows * size;
    }
    return all.subarray(0, rows * size);
  }

  /** Returns arrays to which the device may write the outputs of the call. */
  into(rows: number): Readonly<Record<string, Numbers>> {
    const arrays = this.#form.outputs.map(({ name, size }, at) => [name, this.#outputs[at]!.subarray(0, rows * size)]);
    return Object.fromEntries(arrays);
  }

  #grow(rows: number): void {
    if (rows <= this.#capacity) return;
    this.#capacity = 2 ** Math.ceil(Math.log2(rows));
    this.#inputs = this.#form.inputs.map(({ size }) => new Float32Array(this.#capacity * size));
    this.#outputs = this.#form.outputs.map(
      ({ element, size }) => numericArray(element, this.#capacity * size) as Numbers,
    );
  }
}

/**
 * Splits the outputs of a call into separate arrays for each request.
 *
 * @throws ERR_BACKEND_MODEL when the outputs of the device do not match the stage.
 */
export function split(
  answers: BackendTensors,
  form: DeviceStageForm,
  group: readonly StagedRows[],
  rows: number,
): DenseBlock[][] {
  const arrays = form.outputs.map(({ name, element, size }) => {
    const answer = answers[name];
    const fits = answer?.element === element && elementCount(answer.shape) === rows * size;
    if (fits && answer.data.length === rows * size) return answer.data as Numbers;
    const received = answer === undefined ? 'nothing' : `${answer.element}[${answer.shape}]`;
    throw backendError('ERR_BACKEND_MODEL', { expected: `${element}[${rows}, ${size}]`, received, at: name });
  });
  let start = 0;
  return group.map((request) => {
    const [from, to] = [start, start + request.rows];
    start = to;
    return form.outputs.map(({ element, size }, at) =>
      dense(element, request.rows, size, arrays[at]!.slice(from * size, to * size) as never),
    );
  });
}
