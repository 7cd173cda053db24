import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  DataType,
  makeGraph,
  makeModel,
  OnnxError,
  readElements,
  readTensorProto,
  tensorInput,
  writeModel,
} from '@brezel/onnx';
import {
  createRuntime,
  importTensors,
  loadNative,
  openStore,
  type Runtime,
  type Tensor,
  type TensorValue,
} from 'brezel';
import { expect } from 'vitest';
import type { KernelNode } from './random-kernel-nodes.js';

type Answers = Readonly<Record<string, TensorValue>>;

/** The answers, or the error. */
type Outcome = Answers | { readonly error: string };

/**
 * Runs tensor programs with the reference implementations, and with the addon's kernels of each
 * instruction set of this machine.
 */
export class KernelEngines {
  readonly isas: readonly string[] = loadNative().addon?.isas() ?? [];
  #runtimes: Runtime[] = [];

  async open(): Promise<void> {
    if (this.isas.length === 0) console.log(`kernels are left out: ${loadNative().error?.message}`);
    this.#runtimes.push(createRuntime({ store: await openStore({ native: false }) }));
    const store = await openStore();
    this.#runtimes.push(...this.isas.map((isa) => createRuntime({ store, isa })));
  }

  async close(): Promise<void> {
    for (const runtime of this.#runtimes) await runtime.close();
  }

  /**
   * Fails unless every engine gives the bits of the reference implementations, or rejects the file
   * with the same error. Returns the answers of the reference implementations.
   */
  async expectSame(bytes: Uint8Array, inputs: Answers): Promise<Answers> {
    const { program } = importTensors(bytes);
    const outcomes: Outcome[] = [];
    for (const runtime of this.#runtimes) {
      const registered = runtime.registerTensors(program);
      outcomes.push(await runtime.predictTensors(registered, inputs).catch(({ message }) => ({ error: message })));
      runtime.unregister(registered);
    }
    const [definition, ...others] = outcomes;
    others.forEach((outcome, at) => expectBits(outcome, definition!, this.isas[at]!));
    return definition as Answers;
  }
}

/** Checks that numbers have equal bits. All NaN are equal. */
function expectBits(got: Outcome, want: Outcome, isa: string): void {
  if ('error' in want || 'error' in got) {
    expect(got, isa).toEqual(want);
    return;
  }
  expect(Object.keys(got)).toEqual(Object.keys(want));
  for (const [name, value] of Object.entries(want)) {
    const [a, b] = [got[name], value] as [Tensor, Tensor];
    expect({ element: a.element, shape: a.shape }, isa).toEqual({ element: b.element, shape: b.shape });
    const at = Array.prototype.findIndex.call(b.data, (one, index) => !Object.is(one, a.data[index]));
    if (at >= 0) expect.fail(`${isa}: ${name}[${at}] is ${String(a.data[at])}, not ${String(b.data[at])}`);
  }
}

const dataTypes = {
  float32: DataType.FLOAT,
  float64: DataType.DOUBLE,
  int32: DataType.INT32,
  int64: DataType.INT64,
  uint8: DataType.UINT8,
  int8: DataType.INT8,
} as Readonly<Record<string, number>>;

/** The element types of outputs that differ from the type of the inputs. */
const resultTypes = { places: 'int64', ConvInteger: 'int32' } as Readonly<Record<string, string>>;

/** Returns a file with one node, and the inputs of the node by name. */
export function fileOf({ node, inputs, opset }: KernelNode): readonly [bytes: Uint8Array, inputs: Answers] {
  const given = inputs.flatMap((tensor, at) => (tensor === undefined ? [] : [[node.input[at]!, tensor] as const]));
  const typeOf = (name: string) => resultTypes[name] ?? resultTypes[node.opType] ?? given[0]![1].element;
  const graph = makeGraph({
    node: [node],
    input: given.map(([name, { element, shape }]) => tensorInput(name, dataTypes[element]!, [...shape])),
    output: node.output.map((name) => tensorInput(name, dataTypes[typeOf(name)]!, [])),
  });
  for (const output of graph.output) Object.assign(output.type!.tensorType!, { shape: undefined });
  return [writeModel(makeModel(graph, { '': opset })), Object.fromEntries(given)];
}

/**
 * Returns the inputs of a conformance case whose node has a kernel. Returns undefined for other
 * cases.
 */
export async function corpusInputs(bytes: Uint8Array, folder: string): Promise<Answers | undefined> {
  const program = programOf(bytes);
  if (program === undefined || program.kernelNodes === 0) return undefined;
  const given = program.inputs.map(({ name, kind }, at) => {
    const file = join(folder, 'test_data_set_0', `input_${at}.pb`);
    const isTensor = kind === 'tensor' && existsSync(file);
    return [name, isTensor ? readElements(readTensorProto(readFileSync(file))) : undefined] as const;
  });
  return given.some(([, tensor]) => tensor === undefined) ? undefined : (Object.fromEntries(given) as Answers);
}

/** Returns the program of a file, or undefined if the import rejects the file. */
function programOf(bytes: Uint8Array) {
  try {
    return importTensors(bytes).program;
  } catch (error) {
    if (error instanceof OnnxError) return undefined;
    throw error;
  }
}
