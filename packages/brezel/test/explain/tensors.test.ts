import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DataType, makeGraph, makeModel, makeNode, makeTensor, tensorInput, writeModel } from '@brezel/onnx';
import { createFlour, explainTensors, importModel } from 'brezel';
import { afterAll, expect, test } from 'vitest';
import { brezel } from '../../../cli/test/brezel.js';

// EXPLAIN of tensor programs: which nodes run in Brezel, which nodes run in a backend, and why.

const square = ['n', 2, 2];
/**
 * A supported node, two nodes of an unsupported domain, and a supported node. Names of values
 * contain control characters, because they come from files.
 */
const bytes = writeModel(
  makeModel(
    makeGraph({
      node: [
        makeNode('Add', ['x', 'one'], ['a']),
        makeNode('Neg', ['a'], ['b\u001b[31m']),
        makeNode('Inverse', ['b\u001b[31m'], ['c'], {}, 'com.microsoft'),
        makeNode('Inverse', ['c'], ['d'], {}, 'com.microsoft'),
        makeNode('Abs', ['d'], ['y']),
      ],
      initializer: [makeTensor('one', 'float32', [], Float32Array.of(1))],
      input: [tensorInput('x', DataType.FLOAT, square)],
      output: [tensorInput('y', DataType.FLOAT, square)],
    }),
    { '': 17, 'com.microsoft': 1 },
  ),
);
const flour = await createFlour();
const folder = mkdtempSync(join(tmpdir(), 'brezel-explain-'));
afterAll(() => {
  flour.dispose();
  rmSync(folder, { recursive: true });
});

function imported() {
  const model = importModel(bytes, flour, { blackBox: 'allow' });
  if (model.kind !== 'tensor') throw new Error('a program by rows');
  return model;
}

test('as text: parts in order, and why nodes are in a box', () => {
  const { program, why } = imported();
  expect(explainTensors(program, { why }).split('\n')).toEqual([
    expect.stringMatching(/^program .*: over whole tensors, 4 nodes, 4 B of constants$/),
    expect.stringMatching(/^not row by row: .*Inverse/),
    'input   x : float32[n, 2, 2]',
    'output  y : float32[n, 2, 2]',
    '',
    'part 1  2 nodes in JavaScript, 1 with a kernel in the addon',
    '  node "a" (ai.onnx.Add, opset 17)  kernel pair',
    '  node "b\ufffd[31m" (ai.onnx.Neg, opset 17)',
    '',
    'part 2  2 nodes in a backend  b\ufffd[31m -> d',
    '  c  com.microsoft:Inverse: Brezel does not have com.microsoft:Inverse, opset 1',
    '  d  com.microsoft:Inverse: Brezel does not have com.microsoft:Inverse, opset 1',
    '',
    'part 3  1 node in JavaScript',
    '  node "y" (ai.onnx.Abs, opset 17)',
  ]);
});

test('as JSON: the same facts', () => {
  const { parts, constantBytes } = JSON.parse(explainTensors(imported().program, { format: 'json' }));
  expect(constantBytes).toBe(4);
  expect(parts.map(({ place, nodes }: { place: string; nodes: string[] }) => [place, nodes.length])).toEqual([
    ['javascript', 2],
    ['backend', 2],
    ['javascript', 1],
  ]);
  expect(parts[0].kernels).toEqual(['pair', null]);
  expect(parts[1].blackBox).toMatchObject({ inputs: ['b\u001b[31m'], outputs: ['d'] });
});

test('on the command line, options that only plans have are rejected', async () => {
  const path = join(folder, 'inverse.onnx');
  writeFileSync(path, bytes);
  const [plain, json, dot] = await Promise.all(
    [[], ['--json'], ['--dot']].map((flags) => brezel(['explain', path, ...flags])),
  );
  expect(plain).toMatchObject({ code: 0, out: expect.stringContaining('part 2  2 nodes in a backend') });
  expect(JSON.parse(json!.out).parts.length).toBe(3);
  expect(dot).toMatchObject({ code: 1, err: expect.stringContaining('ERR_ONNX_UNSUPPORTED') });
});
