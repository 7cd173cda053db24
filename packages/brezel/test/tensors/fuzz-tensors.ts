import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeNode, type NodeProto, readModel, writeModel } from '@brezel/onnx';
import { allTensorOperators, controlOperators } from '@brezel/tensors';
import {
  BrezelError,
  createRuntime,
  elementArray,
  elementCount,
  importTensors,
  openStore,
  type Tensor,
  type TensorPort,
  type TensorValue,
} from 'brezel';
import fc from 'fast-check';
import { expect } from 'vitest';
import { corpus } from '../corpus/corpus.js';
import { Choices, type Model, mutated, rewrite } from '../robustness/mutations.js';
import { controlModels } from './control-models.js';
import { resolvers } from './operators.js';

/** Small limits, so that a loop without its condition ends soon. */
const limits = { maxElements: 2 ** 20, maxSteps: 20_000 };

/**
 * Returns the files to mutate: graphs of this test with control flow and functions, or the
 * conformance cases of every operator.
 */
function filesOf(which: 'own' | 'cases'): Uint8Array[] {
  if (which === 'own') return controlModels();
  if (corpus === undefined) return [];
  const folder = join(corpus, 'onnx-node');
  return readdirSync(folder).map((name) => new Uint8Array(readFileSync(join(folder, name, 'model.onnx'))));
}

const names = [
  ...allTensorOperators().map(({ operator }) => operator),
  ...controlOperators.map(({ operator }) => operator),
];

/** Changes a graph, one of its subgraphs or one of its functions in one place. */
function rewriteSomewhere(model: Model, numbers: readonly number[]): Model {
  const choices = new Choices(numbers);
  const graph = model.graph!;
  const bodies = graph.node.flatMap((node, at) => (node.attribute.some(({ g }) => g) ? [at] : []));
  if (model.functions.length > 0 && choices.below(3) === 0) return inFunction(model, choices, numbers);
  if (bodies.length > 0 && choices.below(2) === 0) return inBody(model, choices.of(bodies), choices, numbers);
  if (choices.below(4) > 0 || graph.node.length === 0) return rewrite(model, numbers.slice(1));
  const at = choices.below(graph.node.length);
  return withNode(model, at, { ...graph.node[at]!, opType: choices.of(names), domain: '' });
}

const withNode = (model: Model, at: number, node: NodeProto): Model => ({
  ...model,
  graph: { ...model.graph!, node: model.graph!.node.with(at, node) },
});

function inBody(model: Model, at: number, choices: Choices, numbers: readonly number[]): Model {
  const node = model.graph!.node[at]!;
  const graphs = node.attribute.flatMap(({ g }, index) => (g ? [index] : []));
  const index = choices.of(graphs);
  const attribute = node.attribute[index]!;
  const { graph } = rewriteSomewhere({ ...model, functions: [], graph: attribute.g }, numbers.slice(2));
  return withNode(model, at, { ...node, attribute: node.attribute.with(index, { ...attribute, g: graph }) });
}

function inFunction(model: Model, choices: Choices, numbers: readonly number[]): Model {
  const at = choices.below(model.functions.length);
  const called = model.functions[at]!;
  const graph = { ...model.graph!, node: called.node, initializer: [] };
  const calls = [...called.node, makeNode(choices.of(model.functions).name, called.input, ['again'], {}, 'local')];
  const node =
    choices.below(6) === 0 ? calls : rewriteSomewhere({ ...model, functions: [], graph }, numbers.slice(2)).graph!.node;
  return { ...model, functions: model.functions.with(at, { ...called, node }) };
}

const rewritten = (originals: readonly Uint8Array[]): fc.Arbitrary<Uint8Array> => {
  const models = originals.map((file) => readModel(file));
  const steps = fc.array(fc.array(fc.nat(1_000_000), { minLength: 12, maxLength: 12 }), { minLength: 1, maxLength: 4 });
  return fc
    .tuple(fc.nat(models.length - 1), steps)
    .map(([model, all]) => writeModel(all.reduce(rewriteSomewhere, models[model]!)));
};

/** Returns an input that fits a port. Sizes that the port leaves open are small, and may be 0. */
function valueFor(port: TensorPort, choices: Choices): TensorValue {
  const shape = (port.shape ?? [2]).map((size) => (typeof size === 'number' ? size : choices.below(4)));
  const count = elementCount(shape);
  if (!(count <= limits.maxElements)) throw new BrezelError('ERR_TOO_LARGE', { message: 'not tried', hint: 'none' });
  const element = port.element ?? 'float32';
  const tensor = { element, shape, data: dataFor(element, count, choices) } as Tensor;
  return port.kind === 'tensor' ? tensor : { element: 'sequence', tensors: [tensor, tensor].slice(choices.below(3)) };
}

function dataFor(element: Tensor['element'], count: number, choices: Choices): Tensor['data'] {
  if (element === 'string') return Array.from({ length: count }, () => choices.of(['', 'a', 'good 1', '\ufffd日']));
  const data = elementArray(element, count);
  const isBig = element === 'int64' || element === 'uint64';
  for (let at = 0; at < count; at++) {
    const value = element === 'bool' ? choices.below(2) : choices.of([0, 1, 2, -1, 3, 100]);
    data[at] = (isBig ? BigInt(value) : value) as never;
  }
  return data;
}

const runtime = createRuntime({ store: await openStore({ native: false }) });

/**
 * Of the mutated files, about one in `BOXED_SHARE` is also imported with black boxes. The test
 * writes the boxes as ONNX files, but does not run them.
 */
const BOXED_SHARE = 4;

function writeBoxes(bytes: Uint8Array): void {
  const { program } = importTensors(bytes, { resolvers, blackBox: ({ operator }) => operator.length % 2 === 0 });
  for (const box of program.blackBoxes) {
    const { graph } = readModel(box.model(box.inputs.map(({ element }) => element ?? 'float32')).bytes!);
    expect(graph!.output.map(({ name }) => name)).toEqual(box.outputs);
  }
}

/**
 * Returns `works`, or the code of the error that rejects the file or the request.
 *
 * @throws if it ends otherwise, or returns an invalid tensor.
 */
async function outcome(bytes: Uint8Array, numbers: readonly number[]): Promise<string> {
  try {
    if (numbers[0]! % BOXED_SHARE === 0) writeBoxes(bytes);
    const { program } = importTensors(bytes, { resolvers });
    const choices = new Choices(numbers);
    const inputs = Object.fromEntries(program.inputs.map((port) => [port.name, valueFor(port, choices)]));
    const registered = runtime.registerTensors(program, limits);
    try {
      for (const value of Object.values(await runtime.predictTensors(registered, inputs))) checkValue(value);
    } finally {
      runtime.unregister(registered);
    }
    return 'works';
  } catch (error) {
    if (!(error instanceof BrezelError) || error.code === 'ERR_INTERNAL') throw error;
    expect(error.message.length, error.message.slice(0, 2000)).toBeLessThan(20_000);
    return error.code;
  }
}

function checkValue(value: TensorValue): void {
  if (value.element === 'sequence') return value.tensors.forEach(checkValue);
  expect(value.data.length).toBe(elementCount(value.shape));
  if (value.element !== 'string') expect(value.data.constructor).toBe(elementArray(value.element, 0).constructor);
}

/**
 * Imports mutated files as tensor programs, and runs them. Prints the number of rejected files for
 * each error code.
 */
export async function fuzzTensors(
  which: 'own' | 'cases',
  how: 'bytes' | 'graphs',
  numRuns: number,
  seed: number,
): Promise<void> {
  const originals = filesOf(which);
  if (originals.length === 0) return console.warn('no conformance cases to mutate');
  const outcomes = new Map<string, number>();
  const numbers = fc.array(fc.nat(1_000_000), { minLength: 8, maxLength: 8 });
  const file = how === 'bytes' ? mutated(originals) : rewritten(originals);
  const property = fc.asyncProperty(file, numbers, async (bytes, picks) => {
    const code = await outcome(bytes, picks);
    outcomes.set(code, (outcomes.get(code) ?? 0) + 1);
  });
  await fc.assert(property, { numRuns, seed });
  const counts = Array.from(outcomes, ([code, times]) => `${code} ${times}`).join(', ');
  console.info(`${numRuns} mutations of ${how} of ${originals.length} ${which} tensor programs: ${counts}`);
  expect(outcomes.get('works') ?? 0, 'some mutations must leave a working program').toBeGreaterThan(0);
}
