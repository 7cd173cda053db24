import { makeModel, makeNode, writeModel } from '@brezel/onnx';
import { onnxruntimeBackend } from 'brezel';
import { afterAll, describe, expect, test } from 'vitest';
import { float, graph } from '../../brezel/test/tensors/models.js';
import { brezel, temporaryFolder } from './brezel.js';

// Operators that Brezel does not have, on the command line: --black-box.

const folder = temporaryFolder();
afterAll(folder.remove);
const { available, why } = await onnxruntimeBackend().probe();
if (!available) console.warn(`black boxes are not run: ${why}`);

const square = ['N', 2, 2];
const inverse = makeNode('Inverse', ['a'], ['b'], {}, 'com.microsoft');
const nodes = [makeNode('Neg', ['x'], ['a']), inverse, makeNode('Neg', ['b'], ['y'])];
const main = graph(nodes, [float('x', square)], [float('y', square)], {
  name: 'inverse',
  valueInfo: [float('b', square)],
});
const model = folder.file('inverse.onnx', writeModel(makeModel(main, { '': 17, 'com.microsoft': 1 })));
const rows = '{"x": [[2, 0], [0, 4]]}\n{"x": [[1, 0], [0, 8]]}\n';
const answers = '{"y": [[0.5, 0], [0, 0.25]]}\n{"y": [[1, 0], [0, 0.125]]}\n';
const allow = ['--black-box', 'allow'];

const ok = async (args: readonly string[], input?: string) => {
  const ended = await brezel(args, input);
  expect(ended.err).toBe('');
  expect(ended.code).toBe(0);
  return ended.out;
};

describe.skipIf(!available)('brezel --black-box allow', () => {
  test('predict answers', async () => {
    expect(await ok(['predict', model, '--input', '-', ...allow], rows)).toBe(answers);
  });

  test('pack stores the plan, and inspect shows it in the fleet file', async () => {
    const fleet = folder.path('fleet.brezel');
    await ok(['pack', model, '--output', fleet, ...allow]);
    expect(await ok(['inspect', fleet])).toContain('brezel/black-box');
  });

  test('inspect and explain show the plan, its boxed nodes, and the reasons', async () => {
    const reason = 'b, com.microsoft:Inverse: Brezel does not have com.microsoft:Inverse, opset 1';
    const inspected = await ok(['inspect', model, ...allow]);
    for (const part of ['row by row', '0: 1 node in a backend, a -> b', reason]) expect(inspected).toContain(part);
    const explained = await ok(['explain', model, ...allow]);
    for (const part of ['stage 2 runs in a backend', `in a backend: ${reason}`]) expect(explained).toContain(part);
  });
});
