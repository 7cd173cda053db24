import type { NumericTensor } from '@brezel/core';
import { DataType, makeGraph, makeModel, tensorInput, writeModel } from '@brezel/onnx';
import { createFlour, createRuntime, importOnnx, importTensors, type Program } from 'brezel';
import fc from 'fast-check';
import { expect } from 'vitest';
import { expectAsOnnxruntime, ort } from './against-onnxruntime.js';
import { difference, Engines } from './engines.js';
import type { Written } from './recognized-graphs.js';
import { seed } from './seed.js';

/**
 * The number of random graphs of each kind. Graphs that do not match a pattern, so that they stay
 * separate nodes, get half as many runs.
 */
export const RUNS = Number(process.env.BREZEL_RECOGNIZED_RUNS ?? 4);

export const flour = await createFlour();
const engines = new Engines(flour.store);

type Rows = readonly (readonly number[])[];
/**
 * A graph, the operator that replaces it, rows, and the tolerance of the answers. Without a
 * tolerance, the answers have the bits of the nodes.
 */
export interface Recognized {
  readonly graph: Written;
  readonly rows: Rows;
  readonly operator: string;
  readonly tolerance?: readonly [relative: number, absolute: number];
}

export function fileOf({ nodes, initializers, outputs, columns }: Written): Uint8Array {
  const graph = makeGraph({
    node: [...nodes],
    initializer: [...initializers],
    input: [tensorInput('x', DataType.FLOAT, ['N', columns])],
    output: Object.keys(outputs).map((name) => tensorInput(name, DataType.FLOAT, [])),
  });
  for (const output of graph.output) Object.assign(output.type!.tensorType!, { shape: undefined });
  return writeModel(makeModel(graph, { '': 17, 'ai.onnx.ml': 3 }));
}

export function operatorsOf(program: Program): string[] {
  const seen = new Set<Program['outputs'][number]['node']>();
  const visit = (node: Program['outputs'][number]['node']): void => {
    if (seen.has(node)) return;
    seen.add(node);
    node.inputs.forEach(visit);
  };
  for (const { node } of program.outputs) visit(node);
  return [...seen].flatMap(({ operator }) => (operator === undefined ? [] : [operator.name]));
}

/** Returns the answers of the separate nodes of the graph, over all rows at once. */
export async function asTensors(bytes: Uint8Array, rows: Rows): Promise<Record<string, number[]>> {
  await using runtime = createRuntime({ store: flour.store, executors: 0 });
  const registered = runtime.registerTensors(importTensors(bytes, { flour }).program);
  const x = {
    element: 'float32',
    shape: [rows.length, rows[0]!.length],
    data: Float32Array.from(rows.flat()),
  } as const;
  const answers = await runtime.predictTensors(registered, { x });
  return Object.fromEntries(
    Object.entries(answers).map(([name, value]) => [name, Array.from((value as NumericTensor).data, Number)]),
  );
}

const near = (got: number, want: number, [relative, absolute]: readonly [number, number]) =>
  Object.is(got, want) || got === want || Math.abs(got - want) <= absolute + relative * Math.abs(want);

/** Checks that every engine gives the answers of the nodes. */
export async function expectAnswers(
  program: Program,
  { graph, rows, tolerance = [0, 0] }: Omit<Recognized, 'operator'>,
) {
  const plan = program.plan();
  const { answers } = await engines.answers(
    plan,
    rows.map((x) => ({ x })),
  );
  plan.release();
  const reference = answers.get('reference')!;
  for (const [engine, got] of answers) expect(difference(got, reference), engine).toBeUndefined();
  const wanted = await asTensors(fileOf(graph), rows);
  for (const [name, want] of Object.entries(wanted)) {
    const got = reference.flatMap((row) => [row[name]].flat()).map(Number);
    expect(got.length, name).toBe(want.length);
    const wrong = got.findIndex((value, at) => !near(value, want[at]!, tolerance));
    expect(wrong < 0 ? '' : `${name}[${wrong}]: ${got[wrong]} for ${want[wrong]}`).toBe('');
  }
}

export async function expectRecognized(one: Recognized): Promise<void> {
  const { program } = importOnnx(fileOf(one.graph), flour);
  expect(operatorsOf(program)).toContain(one.operator);
  await expectAnswers(program, one);
  if (ort === undefined) return;
  const { nodes, initializers, outputs } = one.graph;
  const tolerance = [1e-4, 1e-5] as const;
  await expectAsOnnxruntime({
    inputs: { x: { type: 'float32', rows: one.rows } },
    nodes,
    initializers,
    outputs,
    tolerance,
  });
}

/** Checks that the importer keeps the separate nodes, and that the answers are equal. */
export async function expectPlain(one: Recognized): Promise<void> {
  const { program } = importOnnx(fileOf(one.graph), flour);
  expect(operatorsOf(program)).not.toContain(one.operator);
  await expectAnswers(program, one);
}

export const check = (
  arbitrary: fc.Arbitrary<Recognized>,
  property: (one: Recognized) => Promise<void>,
  numRuns = RUNS,
) => fc.assert(fc.asyncProperty(arbitrary, property), { seed, numRuns });

/**
 * Skips cases where two classes have nearly equal probabilities, because their labels may differ
 * between engines.
 */
export const withoutTies = (property: (one: Recognized) => Promise<void>) => async (given: Recognized) => {
  const { probabilities = [] } = await asTensors(fileOf(given.graph), given.rows);
  const classes = probabilities.length / given.rows.length;
  const isClear = given.rows.every((_, row) => {
    const [first, second] = probabilities.slice(row * classes, (row + 1) * classes).sort((a, b) => b - a);
    return first === undefined || first - second! > 1e-4;
  });
  fc.pre(isClear);
  await property(given);
};
