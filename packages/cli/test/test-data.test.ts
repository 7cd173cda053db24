import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type AttributeValue,
  DataType,
  type MapProto,
  makeGraph,
  makeMap,
  makeMaps,
  makeModel,
  makeNode,
  makeTensor,
  mapInput,
  type NodeProto,
  sequenceOf,
  tensorInput,
  writeElements,
  writeMapProto,
  writeModel,
  writeSequenceProto,
  writeTensorProto,
} from '@brezel/onnx';
import type { Tensor } from 'brezel';
import { afterAll, describe, expect, test } from 'vitest';
import { bool, file, flag, float, float32, graph } from '../../brezel/test/tensors/models.js';
import { brezel, temporaryFolder } from './brezel.js';

const folder = temporaryFolder();
afterAll(folder.remove);

const ok = async (args: readonly string[]) => {
  const ended = await brezel(args);
  expect(ended.err).toBe('');
  expect(ended.code).toBe(0);
  return ended.out;
};
const fault = async (args: readonly string[], code = 1) => {
  const ended = await brezel(args);
  expect(ended.code, ended.out).toBe(code);
  expect(ended.err.trimEnd()).not.toContain('\n');
  return ended;
};

/** Writes one data set of a model, and returns the folder of all its data sets. */
function dataSet(name: string, number: number, inputs: readonly Tensor[], outputs: readonly Tensor[]): string {
  const set = join(folder.path(name), `test_data_set_${number}`);
  mkdirSync(set, { recursive: true });
  const write = (what: string) => (tensor: Tensor, at: number) =>
    writeFileSync(join(set, `${what}_${at}.pb`), writeTensorProto(writeElements(what, tensor)));
  inputs.forEach(write('input'));
  outputs.forEach(write('output'));
  return folder.path(name);
}

/** A tensor program with the outputs y = x, and z = x if c is true, otherwise w. */
const hand = (name: string) => graph([makeNode('Identity', [name], ['z'])], [], [float('z', [2, 1, 2])]);
const initializer = [makeTensor('w', 'float32', [2, 1, 2], Float32Array.of(5, 6, 7, 8))];
const tensors = folder.file(
  'tensors.onnx',
  file(
    graph(
      [
        makeNode('Identity', ['x'], ['y']),
        makeNode('If', ['c'], ['z'], { then_branch: { g: hand('x') }, else_branch: { g: hand('w') } }),
      ],
      [float('x', [2, 1, 2]), flag('c')],
      [float('y', [2, 1, 2]), float('z', [2, 1, 2])],
      { initializer },
    ),
  ),
);
const rows = folder.file(
  'rows.onnx',
  file(
    graph(
      [makeNode('Add', ['x', 'x'], ['y']), makeNode('Identity', ['s'], ['t'])],
      [float('x', ['N', 2]), tensorInput('s', 8, ['N'])],
      [float('y', ['N', 2]), tensorInput('t', 8, ['N'])],
    ),
  ),
);

const x = float32([2, 1, 2], 1, 2, 3, Number.NaN);
const w = float32([2, 1, 2], 5, 6, 7, 8);
const text = (...data: string[]): Tensor => ({ element: 'string', shape: [data.length], data });

describe('verify --test-data', () => {
  test('replays every data set, in order of their numbers', async () => {
    for (const number of [0, 2, 10]) dataSet('right', number, [x, bool(number !== 2)], [x, number === 2 ? w : x]);
    const out = await ok(['verify', tensors, '--test-data', folder.path('right')]);
    expect(out).toContain('tensors.onnx  over whole tensors, rtol 0.001, atol 0.00001');
    expect(out.match(/test_data_set_\d+/g)).toEqual([0, 0, 2, 2, 10, 10].map((number) => `test_data_set_${number}`));
    expect(out).toContain('6 of 6 outputs agree');
    const one = await ok(['verify', tensors, '--test-data', join(folder.path('right'), 'test_data_set_0')]);
    expect(one).toContain('2 of 2 outputs agree');
  });

  test('prints the differences with sizes and locations, and exits with 1', async () => {
    const data = dataSet(
      'wrong',
      0,
      [x, bool(true)],
      [float32([2, 1, 2], 1, 2.0005, 3.5, Number.NaN), float32([4], 1, 2, 3, 4)],
    );
    const { out, err } = await fault(['verify', tensors, '--test-data', data]);
    expect(out).toMatch(/y +differs +max\. difference 0.5 +3 instead of 3.5 at \[1,0,0\]/);
    expect(out).toMatch(/z +differs .*shape \[2,1,2\] instead of \[4\]/);
    expect(err).toMatch(/ERR_CLI_TEST_DATA.*tensors.onnx: 2 outputs of 2/);
    const json = JSON.parse((await brezel(['verify', '--json', tensors, '--test-data', data])).out);
    expect(json).toMatchObject({
      kind: 'tensor',
      outputs: [
        { output: 'y', agrees: false, largestDifference: 0.5 },
        { output: 'z', largestDifference: 'Infinity' },
      ],
    });
  });

  test('--rtol and --atol are the tolerance of floats', async () => {
    const data = dataSet('near', 0, [x, bool(true)], [float32([2, 1, 2], 1.25, 2, 3, Number.NaN), x]);
    await fault(['verify', tensors, '--test-data', data]);
    await ok(['verify', tensors, '--test-data', data, '--atol', '0.25']);
    await ok(['verify', tensors, '--test-data', data, '--rtol', '0.2']);
    await fault(['verify', tensors, '--test-data', data, '--rtol', '0.1']);
  });

  test('replays row programs, and compares strings exactly', async () => {
    const given = [float32([3, 2], 1, 2, 3, 4, 5, 6), text('a', 'b', 'c')];
    const sum = float32([3, 2], 2, 4, 6, 8, 10, 12);
    const out = await ok(['verify', rows, '--test-data', dataSet('rows', 0, given, [sum, text('a', 'b', 'c')])]);
    expect(out).toContain('rows.onnx  row by row');
    expect(out).toContain('2 of 2 outputs agree');
    const wrong = await fault([
      'verify',
      rows,
      '--test-data',
      dataSet('rows-wrong', 0, given, [sum, text('a', 'B', 'c')]),
    ]);
    expect(wrong.out).toContain('"b" instead of "B" at [1]');
  });

  test('shapes are the shapes of the graph, for any row axis', async () => {
    const [given, sum] = [float32([1, 2], 1, 2), float32([1, 2], 2, 4)];
    const data = (name: string, output: Tensor) => dataSet(name, 0, [given, text('a')], [output, text('a')]);
    await ok(['verify', rows, '--test-data', data('shaped', sum)]);
    for (const shape of [[2], [2, 1], [1, 1, 2]]) {
      const other = data(`shape-${shape.join('x')}`, { ...sum, shape });
      const wrong = await fault(['verify', rows, '--test-data', other]);
      expect(wrong.out, `${shape}`).toMatch(/y +differs .*shape \[1,2\] instead of \[/);
    }
    // Rows along the last axis: [1, N].
    const turned = makeNode('Transpose', ['x'], ['y'], { perm: { ints: [1, 0] } });
    const last = folder.file('last.onnx', file(graph([turned], [float('x', ['N', 1])], [float('y', [1, 'N'])])));
    const column = float32([3, 1], 1, 2, 3);
    await ok(['verify', last, '--test-data', dataSet('last', 0, [column], [float32([1, 3], 1, 2, 3)])]);
    await fault(['verify', last, '--test-data', dataSet('last-wrong', 0, [column], [column])]);
  });

  test.each([
    ['no folder', 'absent', /ERR_TEST_DATA: .*a folder/],
    ['a folder without data', '.', /ERR_TEST_DATA: .*test_data_set_\*/],
  ])('%s', async (_, name, message) => {
    expect((await fault(['verify', tensors, '--test-data', folder.path(name)])).err).toMatch(message);
  });

  test('data of another model', async () => {
    const less = dataSet('less', 0, [x], [x]);
    expect((await fault(['verify', tensors, '--test-data', less])).err).toMatch(/ERR_TEST_DATA.*no input "c"/);
    const more = dataSet('more', 0, [x, bool(true), x], [x]);
    expect((await fault(['verify', tensors, '--test-data', more])).err).toMatch(/ERR_TEST_DATA.*expected 2 inputs/);
    const other = dataSet('other', 0, [float32([3], 1, 2, 3), bool(true)], [x]);
    expect((await fault(['verify', tensors, '--test-data', other])).err).toMatch(
      /ERR_RUNTIME_INPUT.*float32\[2, 1, 2\].*input "x"/,
    );
    const unequal = dataSet('unequal', 0, [float32([3, 2], 1, 2, 3, 4, 5, 6), text('a')], [x]);
    expect((await fault(['verify', rows, '--test-data', unequal])).err).toMatch(/the same number of rows/);
  });

  test('a damaged value is reported with its file, not as a damaged model', async () => {
    const damaged = dataSet('damaged', 0, [x, bool(true)], [x]);
    const path = join(damaged, 'test_data_set_0', 'output_0.pb');
    for (const bytes of ['junk', Uint8Array.of(0x4a, 0x7f, 1), Uint8Array.of(0x08, 0x03, 0x10, 0x01)]) {
      writeFileSync(path, bytes);
      const { err } = await fault(['verify', tensors, '--test-data', damaged]);
      expect(err).toMatch(/ERR_TEST_DATA: .*output_0\.pb/);
      expect(err).not.toContain('onnx.checker');
    }
  });

  test('test data without rows is accepted', async () => {
    const none = dataSet('none', 0, [float32([0, 2]), text()], [float32([0, 2]), text()]);
    expect(await ok(['verify', rows, '--test-data', none])).toContain('2 of 2 outputs agree');
  });

  test('an invalid command line exits with 2', async () => {
    for (const args of [
      ['--rtol', '1'],
      ['--test-data', folder.path('right'), '--atol', '-1'],
      ['--test-data', folder.path('right'), '--rtol', 'much'],
    ])
      expect((await fault(['verify', tensors, ...args], 2)).err).toContain('ERR_CLI_USAGE');
  });
});

describe('verify --test-data of maps', () => {
  const scored = (keys: AttributeValue, name: string, nodes: NodeProto[] = [], from = 'x') =>
    folder.file(
      `${nodes.length}-${name}`,
      writeModel(
        makeModel(
          makeGraph({
            node: [
              ...nodes,
              makeNode('ZipMap', [from], ['y'], { [`classlabels_${name.split('.')[0]}`]: keys }, 'ai.onnx.ml'),
            ],
            input: [float('x', ['N', 2])],
            output: [sequenceOf(mapInput('y', DataType.STRING, DataType.FLOAT))],
          }),
          { '': 17, 'ai.onnx.ml': 3 },
        ),
      ),
    );
  const value = (number: number) => makeTensor('', 'float32', [], Float32Array.of(number));
  /**
   * Writes a data set whose output consists of these maps. Returns the folder of the data sets of
   * its model.
   */
  function mapSet(name: string, maps: readonly MapProto[]): string {
    const path = dataSet(name, 0, [float32([2, 2], 0.25, 0.75, 1, 0)], []);
    writeFileSync(join(path, 'test_data_set_0', 'output_0.pb'), writeSequenceProto(makeMaps('y', maps)));
    return path;
  }
  const pairs = (keys: readonly string[] | readonly bigint[], ...numbers: number[]) =>
    makeMap('', keys, numbers.map(value));

  test.each<[string, AttributeValue, readonly string[] | readonly bigint[]]>([
    ['strings.onnx', { strings: ['no', 'yes'] }, ['no', 'yes']],
    ['int64s.onnx', { ints: [-7, 9] }, [-7n, 9n]],
  ])('by rows and over whole tensors: %s', async (name, attribute, keys) => {
    const mixed = [makeNode('ReduceSum', ['x'], ['s'], { keepdims: { i: 1 } }), makeNode('Mul', ['x', 's'], ['p'])];
    const [first, second] = keys as readonly [string, string];
    for (const [model, by, scale] of [
      [scored(attribute, name), 'row by row', 1],
      [scored(attribute, name, mixed, 'p'), 'over whole tensors', 2],
    ] as const) {
      const right = [pairs(keys, 0.25 * scale, 0.75 * scale), pairs([second, first], 0, scale)];
      const out = await ok(['verify', model, '--test-data', mapSet(`maps-${name}-${scale}`, right)]);
      expect(out).toContain(by);
      expect(out).toMatch(/1 of 1 outputs? agrees?/);
      const fails: readonly [string, readonly MapProto[], RegExp][] = [
        ['value', [right[0]!, pairs(keys, 0.5 * scale, 0)], /max\. difference \d.* map 1: .* instead of /],
        ['missing', [pairs([first], 0.25 * scale), right[1]!], /map 0: a key .* too many/],
        [
          'extra',
          [
            right[0]!,
            makeMap('', [first, second, (typeof first === 'bigint' ? 5n : '5') as string], [1, 2, 3].map(value)),
          ],
          /map 1: no key/,
        ],
        ['fewer', right.slice(1), /2 maps instead of 1/],
      ];
      for (const [what, maps, said] of fails)
        expect((await fault(['verify', model, '--test-data', mapSet(`${what}-${name}-${scale}`, maps)])).out).toMatch(
          said,
        );
    }
  });

  test('a map as the input is one row', async () => {
    const vectorizer = makeNode(
      'DictVectorizer',
      ['x'],
      ['y'],
      { string_vocabulary: { strings: ['a', 'b', 'c'] } },
      'ai.onnx.ml',
    );
    const model = folder.file(
      'words.onnx',
      writeModel(
        makeModel(
          makeGraph({
            node: [vectorizer],
            input: [mapInput('x', DataType.STRING, DataType.FLOAT)],
            output: [float('y', [1, 3])],
          }),
          { 'ai.onnx.ml': 1 },
        ),
      ),
    );
    const path = dataSet('words', 0, [], [float32([1, 3], 2, 0, 4)]);
    const written = writeMapProto(makeMap('x', ['c', 'z', 'a'], [value(4), value(9), value(2)]));
    writeFileSync(join(path, 'test_data_set_0', 'input_0.pb'), written);
    await ok(['verify', model, '--test-data', path]);
    writeFileSync(join(path, 'test_data_set_0', 'input_0.pb'), writeMapProto(makeMap('x', ['a', 'b'], [value(4)])));
    expect((await fault(['verify', model, '--test-data', path])).err).toMatch(/ERR_TEST_DATA.*2 keys.*input_0\.pb/);
  });
});

describe('inspect', () => {
  test('prints the kind of program, and why it is not a row program', async () => {
    const out = await ok(['inspect', tensors, rows]);
    expect(out).toMatch(/program +over whole tensors, 4 nodes, in JavaScript/);
    expect(out).toMatch(/reason +not row by row: .*input "c"/);
    expect(out).toMatch(/input +x : float32\[2, 1, 2\]/);
    expect(out).toMatch(/program +row by row/);
    const { models } = JSON.parse(await ok(['inspect', '--json', tensors]));
    expect(models).toMatchObject([
      { kind: 'tensor', nodes: 4, parameters: { objects: 1, bytes: 16 }, engine: 'javascript' },
    ]);
  });
});
