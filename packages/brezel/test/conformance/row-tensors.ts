import type { Tensor } from '@brezel/core';
import {
  type AttributeValue,
  DataType,
  makeGraph,
  makeModel,
  makeNode,
  makeTensor,
  type NodeProto,
  type TensorProto,
  tensorInput,
  writeModel,
} from '@brezel/onnx';
import { createFlour, createRuntime, importModel, importTensors } from 'brezel';
import { expect } from 'vitest';
import { ort } from './against-onnxruntime.js';

// Runs graphs over values of the row with any axes as row programs, and compares them with tensor
// programs and with onnxruntime.

const types = {
  float32: [DataType.FLOAT, (values: readonly number[]) => Float32Array.from(values)],
  float64: [DataType.DOUBLE, (values: readonly number[]) => Float64Array.from(values)],
  int64: [DataType.INT64, (values: readonly number[]) => BigInt64Array.from(values, BigInt)],
  int32: [DataType.INT32, (values: readonly number[]) => Int32Array.from(values)],
} as const;
export type Element = keyof typeof types;
export const elements = Object.keys(types) as Element[];

export interface Case {
  readonly nodes: readonly NodeProto[];
  /** The shape of a row of each input. */
  readonly inputs: Readonly<Record<string, readonly number[]>>;
  readonly constants?: Readonly<Record<string, readonly number[]>>;
  /**
   * Whether the number of rows determines the lanes of float32 sums in a tensor program, because
   * the rows are columns of a product there.
   */
  readonly hasLanesOfRows?: boolean;
}

const ROWS = 3;
export const node = (
  operator: string,
  inputs: string,
  output: string,
  attributes: Record<string, AttributeValue> = {},
) => makeNode(operator, inputs.split(' '), [output], attributes);
const product = (sizes: readonly number[]) => sizes.reduce((all, size) => all * size, 1);

/** Returns scattered numbers: floats from -2 to 2, or integers from -100 to 100. */
const scattered = (element: Element, count: number, start: number): number[] =>
  Array.from({ length: count }, (_, at) => {
    const value = ((((at + start) * 0.618034) % 1) - 0.5) * 4;
    return element.startsWith('int') ? Math.round(value * 50) : value;
  });

function fileOf({ nodes, inputs, constants = {} }: Case, element: Element): Uint8Array {
  const [type, arrayOf] = types[element];
  const output = tensorInput('y', type, []);
  Object.assign(output.type!.tensorType!, { shape: undefined });
  const initializer = Object.entries(constants).map(
    ([name, shape], at): TensorProto =>
      makeTensor(name, element, shape, arrayOf(scattered(element, product(shape), 7 * at + 3))),
  );
  const input = Object.entries(inputs).map(([name, shape]) => tensorInput(name, type, ['N', ...shape]));
  return writeModel(makeModel(makeGraph({ node: [...nodes], initializer, input, output: [output] }), { '': 17 }));
}

type Nested = number | bigint | readonly Nested[];

const nested = (data: ArrayLike<number>, [size, ...inner]: readonly number[], from = 0): Nested =>
  size === undefined
    ? data[from]!
    : Array.from({ length: size }, (_, at) => nested(data, inner, from + at * product(inner)));

const plain = (values: Iterable<unknown>) => Array.from(values, Number);

/** Returns all rows at once as tensors, and each row alone as row programs receive it. */
function rowsOf({ inputs }: Case, element: Element) {
  const tensors = Object.entries(inputs).map(([name, shape], at) => ({
    name,
    shape,
    data: scattered(element, ROWS * product(shape), 10 * at),
  }));
  const rows = Array.from({ length: ROWS }, (_, row) =>
    Object.fromEntries(tensors.map(({ name, shape, data }) => [name, nested(data, shape, row * product(shape))])),
  );
  return { tensors, rows };
}

/**
 * Fails unless the row program gives each row the bits of a tensor program over this row. The
 * tensor program must also give these bits over all rows, except with `hasLanesOfRows`. Returns the
 * names of the operators that ran in JavaScript.
 */
export async function expectAsTensors(one: Case, element: Element): Promise<string[]> {
  const file = fileOf(one, element);
  using flour = await createFlour();
  await using runtime = createRuntime({ store: flour.store });
  const model = importModel(file, flour, { blackBox: 'forbid' });
  if (model.kind === 'tensor') throw model.why;
  const plan = model.program.plan();
  const slow = plan.stages.filter(({ stage }) => stage.calls === undefined).flatMap(({ stage }) => stage.steps);
  const registered = runtime.register(plan);
  const { tensors, rows } = rowsOf(one, element);
  const batch = await runtime.predictBatch(registered, rows as never);
  const alone = rows.map((row) => runtime.predictSync(registered, row as never));
  const tensorProgram = importTensors(file).program;
  const overTensors = (first: number, count: number) => {
    const [y] = tensorProgram.run(
      tensors.map(({ shape, data }) => {
        const size = product(shape);
        const own = data.slice(first * size, (first + count) * size);
        return { element, shape: [count, ...shape], data: types[element][1](own) } as Tensor;
      }),
    );
    return plain((y as { data: Iterable<unknown> }).data);
  };
  const ofEachRow = rows.flatMap((_, row) => overTensors(row, 1));
  for (const answers of [batch, alone]) {
    const got = answers.flatMap((answer) => [(answer as { y: Nested }).y].flat(Number.POSITIVE_INFINITY as 1));
    expect(plain(got)).toEqual(ofEachRow);
  }
  if (element !== 'float32' || !one.hasLanesOfRows) expect(overTensors(0, ROWS)).toEqual(ofEachRow);
  return slow.map(({ operator, attributes }) => `${operator} ${attributes.operator ?? ''}`);
}

/** Fails unless the answers are near the answers of onnxruntime. */
export async function expectNearOnnxruntime(one: Case, element: Element): Promise<void> {
  const file = fileOf(one, element);
  const { tensors, rows } = rowsOf(one, element);
  const session = await ort!.InferenceSession.create(file, { logSeverityLevel: 4, intraOpNumThreads: 1 });
  const feeds = tensors.map(({ name, shape, data }) => [
    name,
    new ort!.Tensor(element as 'float32', types[element][1](data) as Float32Array, [ROWS, ...shape]),
  ]);
  const wanted = plain((await session.run(Object.fromEntries(feeds))).y!.data as Iterable<unknown>);
  using flour = await createFlour();
  await using runtime = createRuntime({ store: flour.store });
  const model = importModel(file, flour, { blackBox: 'forbid' });
  if (model.kind === 'tensor') throw model.why;
  const answers = await runtime.predictBatch(runtime.register(model.program.plan()), rows as never);
  const got = plain(answers.flatMap((answer) => [(answer as { y: Nested }).y].flat(Number.POSITIVE_INFINITY as 1)));
  expect(got.length).toBe(wanted.length);
  got.forEach((value, at) => {
    expect(Math.abs(value - wanted[at]!), `y[${at}]: ${value}`).toBeLessThanOrEqual(1e-5 + 1e-5 * Math.abs(value));
  });
}
