import { makeModel, makeNode, type NodeProto, writeModel } from '@brezel/onnx';
import { type BlackBox, createRuntime, importTensors, onnxruntimeBackend, openStore, type TensorProgram } from 'brezel';
import fc from 'fast-check';
import { expect } from 'vitest';
import { constant, float, float32, graph } from './models.js';

/**
 * Operators that give the same bits in every runtime. Max is missing, because runtimes differ in
 * Max(0, -0).
 */
export const operators = ['Neg', 'Abs', 'Ceil', 'Add', 'Sub', 'Mul', 'Sum', 'If'] as const;

/**
 * A graph as data. Each node reads two earlier values. A number counts back from the node to the
 * value.
 */
export interface RandomGraph {
  readonly nodes: readonly {
    readonly operator: (typeof operators)[number];
    readonly reads: readonly [number, number];
  }[];
  /** The operators whose nodes become black boxes. */
  readonly black: readonly (typeof operators)[number][];
  readonly data: readonly number[];
}

const place = fc.oneof({ weight: 2, arbitrary: fc.nat(3) }, fc.nat(40));

export const randomGraph: fc.Arbitrary<RandomGraph> = fc.record({
  nodes: fc.array(fc.record({ operator: fc.constantFrom(...operators), reads: fc.tuple(place, place) }), {
    minLength: 1,
    maxLength: 40,
    size: 'max',
  }),
  black: fc.subarray([...operators], { minLength: 1 }),
  data: fc.array(fc.constantFrom(0.5, -0.25, 1, -3, 1000, -0), { minLength: 3, maxLength: 3 }),
});

const unary = new Set(['Neg', 'Abs', 'Ceil']);
const isBlack = ({ black }: RandomGraph, at: number, { nodes }: RandomGraph) => black.includes(nodes[at]!.operator);

/** Returns the values that a node reads: indices of nodes, or -1 for the input of the graph. */
export function sources({ nodes }: RandomGraph, at: number): number[] {
  const { operator, reads } = nodes[at]!;
  return (unary.has(operator) ? reads.slice(0, 1) : [...reads]).map((back) => Math.max(-1, at - 1 - back));
}

export const nameOf = (value: number) => (value < 0 ? 'x' : `v${value}`);

/** Builds a node. An `If` reads one value of the outer graph in each branch. */
function nodeOf(shape: RandomGraph, at: number): NodeProto {
  const { operator } = shape.nodes[at]!;
  const inputs = sources(shape, at).map(nameOf);
  if (operator !== 'If') return makeNode(operator, inputs, [nameOf(at)]);
  const branch = (name: string) =>
    graph([makeNode('Identity', [name], [`${name}_in_${at}`])], [], [float(`${name}_in_${at}`, [3])]);
  return makeNode('If', ['yes'], [nameOf(at)], {
    then_branch: { g: branch(inputs[0]!) },
    else_branch: { g: branch(inputs[1]!) },
  });
}

/** Builds a model. Every value that no node reads is an output, so that no node is unused. */
function modelOf(shape: RandomGraph): Uint8Array {
  const numbers = shape.nodes.map((_, at) => at);
  const read = new Set(numbers.flatMap((at) => sources(shape, at)));
  const outputs = numbers.filter((at) => !read.has(at)).map((at) => float(nameOf(at), [3]));
  const yes = constant('yes', { element: 'bool', shape: [], data: Uint8Array.of(1) });
  return writeModel(
    makeModel(graph([yes, ...numbers.map((at) => nodeOf(shape, at))], [float('x', [3])], outputs), { '': 17 }),
  );
}

/**
 * Checks the number of boxes. On a path of the graph, count how often it enters black nodes from
 * other nodes. The number of boxes must be the maximum of these counts. Also checks that no path
 * leaves a box and returns to it.
 */
function checkBoxes(shape: RandomGraph, boxes: readonly BlackBox[]): void {
  const boxOf = new Map(boxes.flatMap((box, number) => box.nodes.map(({ name }) => [name, number] as const)));
  const entries: number[] = [];
  const reached: Set<number>[] = [];
  shape.nodes.forEach((_, at) => {
    const black = isBlack(shape, at, shape);
    const before = sources(shape, at).filter((from) => from >= 0);
    expect(boxOf.has(nameOf(at))).toBe(black);
    const own = boxOf.get(nameOf(at));
    const stays = (from: number) => black && isBlack(shape, from, shape);
    entries[at] = Math.max(black ? 1 : 0, ...before.map((from) => entries[from]! + (black && !stays(from) ? 1 : 0)));
    const left = before.flatMap((from) => {
      const outer = boxOf.get(nameOf(from));
      return [...reached[from]!, ...(outer !== undefined && outer !== own ? [outer] : [])];
    });
    reached[at] = new Set(left);
    if (own !== undefined) expect(reached[at].has(own), `box ${own} is left and entered again at v${at}`).toBe(false);
  });
  expect(boxes.length).toBe(Math.max(...entries));
}

/**
 * Checks that random graphs give the same bits with random operators in black boxes. Returns how
 * many black boxes and nodes the graphs had.
 */
export async function checkRandomBlackBoxes(runs: number, seed: number): Promise<{ boxes: number; nodes: number }> {
  const backend = onnxruntimeBackend({ workers: 1 });
  await using runtime = createRuntime({ store: await openStore({ native: false }), backends: [backend] });
  const answer = async (program: TensorProgram, x: ReturnType<typeof float32>) => {
    const registered = runtime.registerTensors(program);
    const answers = await runtime.predictTensors(registered, { x });
    runtime.unregister(registered);
    return answers;
  };
  let [boxes, nodes] = [0, 0];
  const property = fc.asyncProperty(randomGraph, async (shape) => {
    const bytes = modelOf(shape);
    const boxed = importTensors(bytes, {
      blackBox: ({ operator }) => (shape.black as readonly string[]).includes(operator),
    }).program;
    checkBoxes(shape, boxed.blackBoxes);
    boxes += boxed.blackBoxes.length;
    nodes += shape.nodes.length;
    const x = float32([3], ...shape.data);
    expect(await answer(boxed, x)).toEqual(await answer(importTensors(bytes).program, x));
  });
  await fc.assert(property, { numRuns: runs, seed });
  await runtime.close();
  await backend.dispose();
  return { boxes, nodes };
}
