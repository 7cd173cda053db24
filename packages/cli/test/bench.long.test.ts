import { DataType, makeGraph, makeModel, makeNode, tensorInput, writeModel } from '@brezel/onnx';
import { afterAll, expect, test } from 'vitest';
import { brezel, echoModel, temporaryFolder } from './brezel.js';

const folder = temporaryFolder();
afterAll(folder.remove);

// Every form of input, against onnxruntime-node, which is installed here.

const model = folder.file('echo.onnx', echoModel());

test('onnxruntime-node answers the same rows, and its answers are compared', async () => {
  const rows = folder.file(
    'rows.jsonl',
    ['{"text": "7", "x": [1.5, "NaN"], "id": "9007199254740994"}', '{"text": "8", "x": [-2, 0], "id": 3}'].join('\n'),
  );
  const { code, out, err } = await brezel(['bench', model, '--trials', '3', '--rounds', '2', '--rows', rows]);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  // Two rows, each with a text that is a number, two floats and an integer. One float is NaN and
  // left out.
  expect(out).toMatch(/ratio to onnxruntime-node 1\.[\s\S]*echo.onnx .*x \(.*7 numbers, all equal\n/);
});

test('generated rows match every form of input', async () => {
  const { code, out, err } = await brezel(['bench', model, '--trials', '3', '--rounds', '1', '--json']);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  const { rows, rival } = JSON.parse(out).models[0];
  expect(rows).toBe(200);
  expect(rival).toMatchObject({ compared: 600, largestDifference: 0 });
  for (const metric of ['single', 'batch', 'load']) {
    const { ratio, low, high } = rival[metric];
    expect(low).toBeGreaterThan(0);
    expect(ratio).toBeGreaterThanOrEqual(low);
    expect(high).toBeGreaterThanOrEqual(ratio);
  }
});

test('an invalid row is reported with its line, also from another process', async () => {
  const rows = folder.file('bad.jsonl', '{"text": "a", "x": [1, 2], "id": 1}\n{"text": "a", "x": [1], "id": 1}\n');
  const ended = await brezel(['bench', model, '--rows', rows]);
  expect(ended).toMatchObject({ code: 1, out: '' });
  expect(ended.err).toMatch(/^brezel: ERR_CLI_ROW: .*bad.jsonl: .* at line 2, .*\n$/);
});

test('a model whose locale is not installed runs in onnxruntime-node with the locale C.UTF-8', async () => {
  const normalizer = makeNode('StringNormalizer', ['text'], ['lower'], {
    case_change_action: { s: 'LOWER' },
    locale: { s: 'xx_NOWHERE.UTF-8' },
  });
  const port = (name: string) => tensorInput(name, DataType.STRING, [null]);
  const length = makeNode(
    'LabelEncoder',
    ['lower'],
    ['id'],
    { keys_strings: { strings: ['\u00e4'] }, values_int64s: { ints: [7n] } },
    'ai.onnx.ml',
  );
  const graph = makeGraph({
    name: 'lower',
    input: [port('text')],
    output: [tensorInput('id', DataType.INT64, [null])],
    node: [normalizer, length],
  });
  const lower = folder.file('lower.onnx', writeModel(makeModel(graph, { '': 17, 'ai.onnx.ml': 3 })));
  const rows = folder.file('umlaut.jsonl', '{"text": "\u00c4"}\n');
  const { code, out, err } = await brezel(['bench', lower, '--trials', '3', '--rounds', '1', '--rows', rows]);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  expect(out).toMatch(/lower.onnx .*x \(.*1 number, all equal\n/);
  expect(out).toContain('onnxruntime runs with the locale C.UTF-8, because the locale of the model is not installed');
});
