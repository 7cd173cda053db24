import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { NumericTensor } from '@brezel/core';
import { makeGraph, makeModel, readElements, readModel, readTensorProto, tensorInput, writeModel } from '@brezel/onnx';
import { type CompiledPlan, createFlour, createRuntime, importOnnx } from 'brezel';
import { describe, expect, test } from 'vitest';
import { corpus } from './corpus.js';

// Runs the conformance cases of products in ONNX, with their first axis as the axis of the rows.
// The addon must return the stored outputs.

/** For each case, the inputs that have rows. Other inputs are constants. */
const cases: Readonly<Record<string, readonly string[]>> = {
  test_einsum_batch_diagonal: ['x'],
  test_einsum_sum: ['x'],
  test_matmul_3d: ['a', 'b'],
  test_matmul_4d__opset9: ['a', 'b'],
  test_matmul_4d_1d: ['a'],
  test_matmul_bcast: ['a'],
};

const folderOf = (name: string) => join(corpus!, 'onnx-node', name);
const stored = (name: string, file: string) => {
  const proto = readTensorProto(readFileSync(join(folderOf(name), 'test_data_set_0', `${file}.pb`)));
  return { proto, tensor: readElements(proto) as NumericTensor<'float32' | 'float64'> };
};

type Nested = number | readonly Nested[];
const nested = (data: ArrayLike<number>, [size, ...inner]: readonly number[], from = 0): Nested => {
  const step = inner.reduce((all, one) => all * one, 1);
  return size === undefined
    ? data[from]!
    : Array.from({ length: size }, (_, at) => nested(data, inner, from + at * step));
};

/**
 * Returns the file of a case with `N` as the first axis of the inputs that have rows. Also returns
 * these inputs.
 */
function byRows(name: string) {
  const model = readModel(readFileSync(join(folderOf(name), 'model.onnx')));
  const graph = model.graph!;
  const inputs = graph.input.map((input, at) => ({ name: input.name, ...stored(name, `input_${at}`) }));
  const rows = inputs.filter((input) => cases[name]!.includes(input.name));
  const constants = inputs.filter((input) => !cases[name]!.includes(input.name));
  const output = graph.output.map(({ name, type }) => tensorInput(name, type!.tensorType!.elemType, []));
  for (const { type } of output) Object.assign(type!.tensorType!, { shape: undefined });
  const file = writeModel(
    makeModel(
      makeGraph({
        node: graph.node,
        initializer: constants.map(({ name, proto }) => ({ ...proto, name })),
        input: rows.map(({ name, proto, tensor }) =>
          tensorInput(name, proto.dataType, ['N', ...tensor.shape.slice(1)]),
        ),
        output,
      }),
      Object.fromEntries(model.opsetImport.map(({ domain, version }) => [domain, Number(version)])),
    ),
  );
  return { file, rows };
}

/** Returns the operators of the stages that the addon does not run. */
const inJavaScript = (plan: CompiledPlan) =>
  plan.stages.filter(({ stage }) => stage.calls === undefined).flatMap(({ stage }) => stage.steps);

describe.skipIf(corpus === undefined)('ONNX conformance cases row by row', () => {
  test.each(Object.keys(cases))('%s', async (name) => {
    const { file, rows } = byRows(name);
    using flour = await createFlour();
    await using runtime = createRuntime({ store: flour.store });
    const plan = importOnnx(file, flour).program.plan();
    expect(inJavaScript(plan).map(({ operator }) => operator)).toEqual([]);
    const count = rows[0]!.tensor.shape[0]!;
    const asked = Array.from({ length: count }, (_, row) =>
      Object.fromEntries(
        rows.map(({ name, tensor }) => {
          const [, ...inner] = tensor.shape;
          return [name, nested(tensor.data, inner, (row * tensor.data.length) / count)];
        }),
      ),
    );
    const answers = await runtime.predictBatch(runtime.register(plan), asked as never);
    const got = answers.flatMap((answer) => Object.values(answer).flat(Number.POSITIVE_INFINITY as 1)) as number[];
    const want = Array.from(stored(name, 'output_0').tensor.data);
    expect(got.length).toBe(want.length);
    got.forEach((value, at) => {
      expect(value, `y[${at}]`).toBeCloseTo(want[at]!, 5);
    });
  });
});
