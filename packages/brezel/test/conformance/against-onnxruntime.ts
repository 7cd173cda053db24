import type { Tensor } from '@brezel/core';
import {
  type AttributeValue,
  DataType,
  makeGraph,
  makeModel,
  makeNode,
  type NodeProto,
  type TensorProto,
  tensorInput,
  writeModel,
} from '@brezel/onnx';
import { createFlour, createRuntime, importOnnx } from 'brezel';
import { expect } from 'vitest';
import { runAsTensors } from './as-tensors.js';

type Ort = typeof import('onnxruntime-node');
export const ort: Ort | undefined = await import('onnxruntime-node').catch((error: Error) => {
  console.log(`onnxruntime-node does not load, its comparison is left out: ${error.message}`);
  return undefined;
});

const types = {
  float32: [DataType.FLOAT, (values: readonly unknown[]) => Float32Array.from(values as number[])],
  float64: [DataType.DOUBLE, (values: readonly unknown[]) => Float64Array.from(values as number[])],
  int64: [DataType.INT64, (values: readonly unknown[]) => BigInt64Array.from(values as number[], BigInt)],
  int32: [DataType.INT32, (values: readonly unknown[]) => Int32Array.from(values as number[])],
  string: [DataType.STRING, (values: readonly unknown[]) => values as string[]],
} as const;

export type ElementType = keyof typeof types;

/** The rows of one input. Each row is a list of numbers or texts. */
export interface Column {
  readonly type: ElementType;
  readonly rows: readonly (readonly (number | string)[])[];
}

export interface Comparison {
  readonly inputs: Readonly<Record<string, Column>>;
  readonly nodes: readonly NodeProto[];
  /** The outputs to compare, with their types. */
  readonly outputs: Readonly<Record<string, ElementType>>;
  readonly initializers?: readonly TensorProto[];
  readonly opset?: number;
  /** The relative and the absolute tolerance. Default: 1e-5 and 1e-6. */
  readonly tolerance?: readonly [relative: number, absolute: number];
}

/** Returns an ONNX-ML node with the input `x` and the output `y`. It may have more outputs. */
export const mlNode = (
  operator: string,
  attributes: Readonly<Record<string, AttributeValue>>,
  outputs: readonly string[] = ['y'],
  inputs: readonly string[] = ['x'],
): NodeProto => makeNode(operator, inputs, outputs, attributes, 'ai.onnx.ml');

/** Returns the ONNX file of a comparison. */
export function fileOf({ inputs, nodes, outputs, initializers = [], opset = 3 }: Comparison): Uint8Array {
  const graph = makeGraph({
    node: [...nodes],
    initializer: [...initializers],
    input: Object.entries(inputs).map(([name, { type, rows }]) =>
      tensorInput(name, types[type][0], ['N', rows[0]!.length]),
    ),
    output: Object.entries(outputs).map(([name, type]) => tensorInput(name, types[type][0], [])),
  });
  // The ranks of outputs depend on the operator, so the file declares no shapes.
  for (const output of graph.output) Object.assign(output.type!.tensorType!, { shape: undefined });
  return writeModel(makeModel(graph, { '': 17, 'ai.onnx.ml': opset, 'com.microsoft': 1 }));
}

const near = (got: unknown, want: unknown, [relative, absolute]: readonly [number, number]) => {
  if (typeof want !== 'number' || typeof got !== 'number') return got === want;
  return Object.is(got, want) || got === want || Math.abs(got - want) <= absolute + relative * Math.abs(want);
};

/** Fails unless Brezel gives the answers of onnxruntime for each row, in a batch and alone. */
export async function expectAsOnnxruntime(comparison: Comparison): Promise<void> {
  const { inputs, outputs, tolerance = [1e-5, 1e-6] } = comparison;
  const bytes = fileOf(comparison);
  const session = await ort!.InferenceSession.create(bytes, {
    logSeverityLevel: 4,
    intraOpNumThreads: 1,
    interOpNumThreads: 1,
  });
  const feeds = Object.fromEntries(
    Object.entries(inputs).map(([name, { type, rows }]) => [
      name,
      new ort!.Tensor(type as 'float32', types[type][1](rows.flat()) as Float32Array, [rows.length, rows[0]!.length]),
    ]),
  );
  const wanted = await session.run(feeds);
  using flour = await createFlour();
  await using runtime = createRuntime({ store: flour.store });
  const plan = runtime.register(importOnnx(bytes, flour).program.plan());
  const count = Object.values(inputs)[0]!.rows.length;
  const rows = Array.from({ length: count }, (_, row) =>
    Object.fromEntries(Object.entries(inputs).map(([name, column]) => [name, column.rows[row]])),
  );
  const batch = await runtime.predictBatch(plan, rows);
  const single = rows.map((row) => runtime.predictSync(plan, row));
  expectSameOfTensors(comparison, flour, batch);
  for (const name of Object.keys(outputs)) {
    const plain = (value: unknown) => (typeof value === 'bigint' ? Number(value) : value);
    const want = Array.from(wanted[name]!.data as Iterable<unknown>, plain);
    for (const answers of [batch, single]) {
      const got = answers
        .flatMap((answer) => [answer[name] as unknown[]].flat(Number.POSITIVE_INFINITY as 1))
        .map(plain);
      expect(got.length, name).toBe(want.length);
      const wrong = got.findIndex((value, at) => !near(value, want[at], tolerance));
      expect(wrong < 0 ? '' : `${name}[${wrong}]: ${got[wrong]} instead of ${want[wrong]} (rows ${count})`).toBe('');
    }
  }
}

/**
 * Fails unless the node gives the bits of the same node as a tensor program over the whole batch.
 * Compares only a single node without constants. Nodes of ai.onnx that no tensor program can
 * contain pass.
 */
function expectSameOfTensors(
  { inputs, nodes, outputs, initializers = [], opset = 3 }: Comparison,
  flour: Awaited<ReturnType<typeof createFlour>>,
  rows: readonly Readonly<Record<string, unknown>>[],
): void {
  const [node, ...others] = nodes;
  if (node === undefined || others.length > 0 || initializers.length > 0) return;
  const tensors = node.input.map((name) => {
    const { type, rows } = inputs[name]!;
    return { element: type, shape: [rows.length, rows[0]!.length], data: types[type][1](rows.flat()) } as Tensor;
  });
  const version = { '': 17, 'ai.onnx.ml': opset, 'com.microsoft': 1 }[node.domain]!;
  const answers = runAsTensors(node, tensors, version, flour);
  if (node.domain !== '') expect(answers, `${node.opType} over tensors`).toBeDefined();
  node.output.forEach((name, at) => {
    if (answers === undefined || !(name in outputs)) return;
    const plain = (value: unknown) => (typeof value === 'bigint' ? Number(value) : value);
    const got = Array.from((answers[at] as Tensor).data as Iterable<unknown>, plain);
    expect(got, `${node.opType} over tensors`).toEqual(
      rows.flatMap((row) => [row[name]].flat(Number.POSITIVE_INFINITY)).map(plain),
    );
  });
}
