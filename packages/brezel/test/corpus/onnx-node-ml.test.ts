import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readTensor, readTensorProto } from '@brezel/onnx';
import { createFlour, createRuntime, importOnnx } from 'brezel';
import { describe, expect, test } from 'vitest';
import { corpus } from './corpus.js';

// Runs the conformance cases of ONNX for ai.onnx.ml, and compares the stored outputs.

const folder = corpus === undefined ? '' : join(corpus, 'onnx-node');
const names = corpus === undefined ? [] : readdirSync(folder).filter((name) => name.includes('ai_onnx_ml'));
/** Cases that no row program supports, with reasons. */
const leftOut = new Map([['test_ai_onnx_ml_binarizer', 'an input of three axes']]);

const tensor = (file: string) => readTensor(readTensorProto(readFileSync(file)));
/** Returns the rows of a tensor: its elements, or lists of elements. */
function rowsOf({ shape, data }: ReturnType<typeof tensor>): unknown[] {
  const list = Array.from(data as ArrayLike<number | bigint | string>, (value) =>
    typeof value === 'bigint' ? Number(value) : value,
  );
  const [rows = 0, columns] = shape;
  if (columns === undefined) return list;
  return Array.from({ length: rows }, (_, row) => list.slice(row * columns, (row + 1) * columns));
}

function isNear(got: unknown, want: unknown): boolean {
  if (Array.isArray(want)) return Array.isArray(got) && want.every((one, at) => isNear(got[at], one));
  if (typeof got !== 'number' || typeof want !== 'number') return got === want;
  return Object.is(got, want) || Math.abs(got - want) <= 1e-5 + 1e-3 * Math.abs(want);
}

async function answer(name: string): Promise<void> {
  using flour = await createFlour();
  await using runtime = createRuntime({ store: flour.store });
  const plan = runtime.register(importOnnx(readFileSync(join(folder, name, 'model.onnx')), flour).program.plan());
  const given = rowsOf(tensor(join(folder, name, 'test_data_set_0', 'input_0.pb')));
  const wanted = rowsOf(tensor(join(folder, name, 'test_data_set_0', 'output_0.pb')));
  const rows = given.map((value) => ({ [plan.inputs[0]!.name]: value }));
  const all = await Promise.all(
    (['reference', 'batch', 'request-response'] as const).map((engine) => runtime.predictBatch(plan, rows, { engine })),
  );
  const got = [...all, rows.map((row) => runtime.predictSync(plan, row))];
  for (const answers of got) {
    expect(answers).toHaveLength(wanted.length);
    const wrong = answers.findIndex((one, row) => !isNear(one[plan.outputs[0]!.name], wanted[row]));
    expect(wrong < 0 ? 'all rows' : `row ${wrong}: ${JSON.stringify(answers[wrong])}`).toBe('all rows');
  }
}

describe.skipIf(corpus === undefined)('ONNX conformance of ai.onnx.ml', () => {
  test('the cases exist', () => expect(names.length).toBeGreaterThanOrEqual(4));

  test.each(names)('%s', async (name) => {
    if (leftOut.has(name)) await expect(answer(name), leftOut.get(name)).rejects.toThrow();
    else await answer(name);
  });
});
