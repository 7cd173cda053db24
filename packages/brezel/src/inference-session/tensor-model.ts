import type { TensorValue } from '@brezel/core';
import type { ImportedTensors } from '@brezel/onnx';
import type { RegisteredTensors, Runtime } from '@brezel/runtime';
import { fedTensor } from './feeds.js';
import { metadataOf, namesOf } from './metadata.js';
import type { SessionModel } from './model.js';
import { notATensor } from './row-model.js';
import { PlainTensor, type Tensor } from './tensor.js';
import { programTensor, typedData } from './tensor-types.js';
import type { Results, RunOptions, ValueMetadata } from './types.js';

/** Runs a program over whole tensors for a session. */
export class TensorModel implements SessionModel {
  readonly inputs: readonly ValueMetadata[];
  readonly outputs: readonly ValueMetadata[];
  readonly optional: ReadonlySet<string>;
  readonly #runtime: Runtime;
  readonly #registered: RegisteredTensors;
  readonly #labels: Readonly<Record<string, readonly string[]>>;
  /** The inputs for which the file declares no number of axes. */
  readonly #anyShape: ReadonlySet<string>;

  constructor(runtime: Runtime, model: Pick<ImportedTensors, 'program' | 'labels'>, name: string) {
    this.#runtime = runtime;
    this.#registered = runtime.registerTensors(model.program, { name });
    this.#labels = model.labels;
    const { inputs, outputs } = this.#registered;
    this.inputs = inputs.map((port) => metadataOf(port));
    this.outputs = outputs.map((port) => metadataOf(port, model.labels[port.name]));
    this.#anyShape = new Set(inputs.filter(({ shape }) => shape === undefined).map(namesOf));
    this.optional = new Set(inputs.filter(({ optional }) => optional).map(namesOf));
  }

  async run(
    feeds: Readonly<Record<string, unknown>>,
    names: readonly string[] | undefined,
    options: RunOptions,
  ): Promise<Results> {
    const inputs = this.inputs.flatMap((port): [string, TensorValue][] => {
      if (feeds[port.name] === undefined) return [];
      const freeAxis = this.#anyShape.has(port.name) ? 'all' : undefined;
      const { type, data, dims } = fedTensor(feeds[port.name], port, freeAxis);
      return [[port.name, programTensor(type, data, dims)]];
    });
    const outputs = await this.#runtime.predictTensors(this.#registered, Object.fromEntries(inputs), options);
    const wanted = names ?? this.outputs.map(namesOf).filter((name) => typedValue(outputs[name]) !== undefined);
    return Object.fromEntries(wanted.map((name) => [name, this.#tensor(name, outputs[name])]));
  }

  release(): void {
    this.#runtime.unregister(this.#registered);
  }

  #tensor(name: string, value: TensorValue | undefined): Tensor {
    const typed = typedValue(value);
    if (typed === undefined) throw notATensor(name);
    const { shape } = value as Exclude<TensorValue, { element: 'sequence' }>;
    return new PlainTensor(...typed, shape, this.#labels[name]) as unknown as Tensor;
  }
}

/**
 * Returns the type and the data of a value. Undefined for an absent value, a sequence, and a type
 * that onnxruntime-node lacks. The file need not declare the type.
 */
const typedValue = (value: TensorValue | undefined) =>
  value === undefined || value.element === 'sequence' ? undefined : typedData(value);
