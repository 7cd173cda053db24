import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { DataType, makeGraph, makeModel, makeNode, tensorInput, writeModel } from '@brezel/onnx';
import { createFlour, packFleet, scalar, vector } from 'brezel';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { lightGbmText } from '../../gbdt/test/lightgbm-file.js';
import { archiveOf } from '../../mlnet/test/archive-file.js';
import * as mlnet from '../../mlnet/test/parts.js';
import { brezel, brezelProcess, echoModel, model, runMain, temporaryFolder } from './brezel.js';

const folder = temporaryFolder();
afterAll(folder.remove);

const texts = [
  'a good film',
  '',
  'Bad! "Awful" acting.\n',
  'naïve café 😀',
  'nul \0 inside',
  'half a pair \ud83d',
  'İSTANBUL ẞ',
];
const rows = texts.map((text) => JSON.stringify({ text })).join('\n');
const rowsFile = folder.file('rows.jsonl', `${rows}\n`);

const ok = async (args: readonly string[], input?: string) => {
  const ended = await brezel(args, input);
  expect(ended.err).toBe('');
  expect(ended.code).toBe(0);
  return ended.out;
};

describe('inspect', () => {
  test('--verbose shows the strategy that converted each node, and why others did not', async () => {
    const out = await ok(['inspect', '--verbose', model(0)]);
    expect(out).toMatch(/node +node ".*: operator of Flour/);
    expect(out).toMatch(/not constant folding: an input depends on the row/);
    expect(await ok(['inspect', model(0)])).not.toContain('not constant folding');
  });

  test('shows schema, operators, size and warnings of a model', async () => {
    const out = await ok(['inspect', model(0)]);
    for (const shown of ['300.0 KB', 'skl2onnx 1.14.0, IR version 8', 'ai.onnx 15', 'text : text', 'label : int64'])
      expect(out).toContain(shown);
    expect(out).toMatch(/com.microsoft:Tokenizer x 2/);
    expect(out).toMatch(/warning .*stop words/);
    expect(out).not.toContain('together');
  });

  test('shows what a fleet shares', async () => {
    const out = await ok(['inspect', model(0), model(1), model(2)]);
    expect(out).toMatch(/3 models together\n {2}parameters {2}1\.\d MB in \d+ objects/);
    expect(out).toMatch(/stages +5 distinct, used 9 times/);
    expect(out.match(/featurizer .* by 3 models/g)).toHaveLength(2);
  });

  test('--json prints the same data', async () => {
    const { models, fleet } = JSON.parse(await ok(['inspect', '--json', model(0), model(1)]));
    expect(models[0]).toMatchObject({
      name: 'sa-fam-a-00',
      inputs: [{ name: 'text', type: 'text' }],
      fileBytes: 300017,
    });
    expect(models[1].outputs[1]).toEqual({ name: 'probabilities', type: 'float32[2]' });
    expect(fleet.stages).toEqual({ distinct: 4, used: 6 });
    expect(fleet.parameters.savedBytes).toBe(fleet.parameters.unsharedBytes - fleet.parameters.bytes);
    expect(fleet.sharedStages.map((stage: { models: number }) => stage.models)).toEqual([2, 2]);
  });
});

describe('files of other formats', () => {
  test('a LightGBM model is inspected, answers rows, and is packed', async () => {
    const tree = { feature: 0, threshold: 0.5, defaultLeft: false, missing: 'nan', left: 1.5, right: -2 } as const;
    const path = folder.file(
      'trees.txt',
      lightGbmText({ features: 2, targets: 1, trees: [tree], objective: 'poisson' }),
    );
    const out = await ok(['inspect', path]);
    for (const shown of ['LightGBM v3', 'x : float64[2]', 'lightgbm:split', 'native']) expect(out).toContain(shown);
    const answers = await ok(['predict', path, '--input', '-'], '{"x": [0.5, 0]}\n{"x": ["NaN", 1]}\n');
    expect(
      answers
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).prediction[0]),
    ).toEqual([expect.closeTo(Math.exp(1.5), 12), expect.closeTo(Math.exp(-2), 12)]);
    await ok(['pack', path, '-o', folder.path('trees.brezel')]);
    expect(await ok(['verify', folder.path('trees.brezel')])).toContain('same bits');
  });

  test('an archive of ML.NET works with every command', async () => {
    const model = mlnet.regression('X', mlnet.linear('LinearRegressionExec', [2, 1], 0.5));
    const path = folder.file('linear.zip', archiveOf([model], { X: ['Single', 2] }));
    const out = await ok(['inspect', path]);
    for (const shown of ['ML.NET 4.0.0.0', 'X : float32[2]', 'mlnet:LinearRegressionExec', 'native'])
      expect(out).toContain(shown);
    expect(JSON.parse(await ok(['predict', path, '--input', '-'], '{"X": [1, -1]}\n'))).toEqual({ Score: 1.5 });
    await ok(['pack', path, '-o', folder.path('linear.brezel')]);
    expect(await ok(['verify', folder.path('linear.brezel')])).toContain('same bits');
  });

  test('a PMML file works with every command, whatever its name is', async () => {
    const scorecard = new URL('../../pmml/test/models/scorecard.pmml', import.meta.url);
    const path = folder.file('scorecard.xml', readFileSync(scorecard));
    const out = await ok(['inspect', path]);
    for (const shown of ['PMML 4.4', 'age : float64', 'reason1 : text', 'pmml:Scorecard', 'native'])
      expect(out).toContain(shown);
    const row = '{"department": "engineering", "age": 25, "income": 500}\n';
    const answer = { prediction: 141, finalScore: 141, reason1: 'RC1', reason2: 'RC2', isGood: 'yes' };
    expect(JSON.parse(await ok(['predict', path, '--input', '-'], row))).toEqual(answer);
    expect(await ok(['types', path])).toContain("readonly reason1: 'RC1'");
    await ok(['pack', path, '-o', folder.path('scorecard.brezel')]);
    expect(await ok(['verify', folder.path('scorecard.brezel')])).toContain('same bits');
    const plan = `${folder.path('scorecard.brezel')}#scorecard`;
    expect(JSON.parse(await ok(['predict', plan, '--input', '-'], row))).toEqual(answer);
  });
});

describe('explain', () => {
  test('shows the plan; --verbose shows each rule with its changes', async () => {
    const [plain, verbose] = await Promise.all([ok(['explain', model(0)]), ok(['explain', model(0), '--verbose'])]);
    expect(plain).toContain('stage 3');
    expect(plain).toContain('push-linear-through-concat');
    expect(verbose).toMatch(/rule push-linear-through-concat .*\n(.*\n)*? {2}- /);
  });

  test('--exact and --disable disable rules', async () => {
    const [exact, disabled] = await Promise.all([
      ok(['explain', model(0), '--exact']),
      ok(['explain', model(0), '--disable', 'push-linear-through-concat,fold-mirrored-classes']),
    ]);
    expect(exact).not.toContain('push-linear-through-concat');
    expect(disabled).not.toContain('push-linear-through-concat');
    expect(disabled).not.toContain('fold-mirrored-classes');
  });

  test('--json parses, --dot is a graph', async () => {
    const [json, dot] = await Promise.all([
      ok(['explain', model(0), '--json', '--device', 'auto', '--rows', '64']),
      ok(['explain', model(0), '--dot']),
    ]);
    const places = JSON.parse(json).stages.map(({ placement }: { placement: object }) => placement);
    expect(places[0]).toEqual({ device: 'cpu', transferBytes: 0, why: 'reads text' });
    expect(JSON.parse(json).stages).toHaveLength(3);
    expect(dot).toMatch(/^digraph [\s\S]*\}\n$/);
  });
});

describe('explain --analyze', () => {
  test('rows may have missing values, as for predict, and quality counts them', async () => {
    const imputed = { imputed_value_floats: { floats: [9, 9] }, replaced_value_float: { f: Number.NaN } };
    const graph = makeGraph({
      name: 'imputer',
      node: [makeNode('Imputer', ['x'], ['y'], imputed, 'ai.onnx.ml')],
      input: [tensorInput('x', DataType.FLOAT, ['N', 2])],
      output: [tensorInput('y', DataType.FLOAT, ['N', 2])],
    });
    const path = folder.file('imputer.onnx', writeModel(makeModel(graph, { '': 17, 'ai.onnx.ml': 3 })));
    const rowsWithout = '{"x": [1, null]}\n{}\n{"x": ["NaN", 2]}\n';
    const report = await ok(['explain', path, '--analyze', '-', '--json'], rowsWithout);
    expect(report).toMatch(/"missing": ?4/);
  });

  test('measures every stage of every model, in text and in JSON', async () => {
    const models = [model(0), model(1)];
    const [shown, single, json] = await Promise.all([
      ok(['explain', ...models, '--analyze', rowsFile]),
      ok(['explain', model(0), '--analyze', '-', '--single'], rows),
      ok(['explain', ...models, '--analyze', rowsFile, '--json']),
    ]);
    expect(shown.match(/^measured: 7 rows, 7 at a time, \d+ repetitions?, /gm)).toHaveLength(2);
    expect(shown.match(/^ {2}stage 3 model +[\d.]+ [µm]s +[\d.]+ [µm]s +\d+ % +[#.]{20} /gm)).toHaveLength(2);
    expect(shown).toContain('shared with 1 other model');
    expect(single).toMatch(/^measured: 7 rows, one at a time, /m);
    for (const { measured, stages } of JSON.parse(json).models) {
      expect(measured).toMatchObject({ rows: 7, blockRows: 256 });
      const shares = stages.map((stage: { measured: { share: number } }) => stage.measured.share);
      expect(shares.reduce((sum: number, share: number) => sum + share, measured.restShare)).toBeCloseTo(1);
    }
  });

  test('files with equal names are distinguished by their paths', async () => {
    const files = ['one', 'two'].map((name) => {
      mkdirSync(folder.path(name));
      return folder.file(`${name}/model.onnx`, echoModel());
    });
    const { models } = JSON.parse(await ok(['explain', ...files, '--json'])) as { models: { name: string }[] };
    expect(models.map(({ name }) => name)).toEqual(['one/model.onnx', 'two/model.onnx']);
  });

  test('--svg writes a picture, with and without times', async () => {
    const file = folder.path('fleet.svg');
    expect(await ok(['explain', model(0), model(1), '--svg', file])).toBe('');
    const written = readFileSync(file, 'utf8');
    expect(written).toMatch(/^<svg [\s\S]*shared by both models[\s\S]*<\/svg>\n$/);
    expect(await ok(['explain', model(0), model(1), '--svg'])).toBe(written);
    expect(await ok(['explain', model(0), '--svg', '-', '--analyze', rowsFile])).toMatch(/µs a row/);
  });
});

describe('predict', () => {
  test('all engines, for all rows or one row per call, give the same bytes', async () => {
    const calls = ['request-response', 'batch', 'reference'].flatMap((engine) => [[engine], [engine, '--single']]);
    const outs = await Promise.all(
      calls.map(([engine, ...single]) =>
        ok(['predict', model(0), '--input', rowsFile, '--engine', engine!, ...single]),
      ),
    );
    expect(new Set(outs).size).toBe(1);
    const answers = outs[0]!
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(answers).toHaveLength(texts.length);
    for (const { label, probabilities } of answers) {
      expect(label).toBe(probabilities[1] > probabilities[0] ? 1 : 0);
      expect(probabilities[0] + probabilities[1]).toBeCloseTo(1, 6);
    }
  });

  test('answers have the encoding of the rows', async () => {
    const echo = folder.file('echo.onnx', echoModel());
    const lines = [
      '{"TEXT": "nul \\u0000, caf\u00e9 😀", "X": [0.1, "NaN"], "ID": -9007199254740991}',
      '{"TEXT": "NaN", "X": ["-Infinity", -0], "ID": 0}',
      '{"TEXT": "", "X": [3.4028235e+38, 1e-45], "ID": 7}',
    ];
    const input = lines.join('\n').replace(/"(TEXT|X|ID)"/g, (name) => name.toLowerCase());
    for (const engine of ['batch', 'reference'])
      expect(await ok(['predict', echo, '-i', '-', '-e', engine], input)).toBe(`${lines.join('\n')}\n`);
  });

  test('--output writes only to the file; - reads standard input', async () => {
    const output = folder.path('answers.jsonl');
    expect(await ok(['predict', model(0), '-i', '-', '-o', output], rows)).toBe('');
    expect(readFileSync(output, 'utf8')).toBe(await ok(['predict', model(0), '-i', rowsFile]));
    expect(readdirSync(dirname(output)).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });

  test('no rows give no answers', async () => {
    expect(await ok(['predict', model(0), '--input', '-'], '')).toBe('');
    expect(await ok(['predict', model(0), '--input', '-', '--single'], '\n \n')).toBe('');
  });

  test('accepts a text of 1 MB', async () => {
    const row = JSON.stringify({ text: 'not so good, but cheap. '.repeat(44_000) });
    const [batch, oneByOne] = await Promise.all([
      ok(['predict', model(0), '--input', '-'], row),
      ok(['predict', model(0), '--input', '-', '--engine', 'request-response'], row),
    ]);
    expect(JSON.parse(batch).label).toBeTypeOf('number');
    expect(oneByOne).toBe(batch);
  });

  test('reads standard input by default', async () => {
    expect(await ok(['predict', model(0)], rows)).toBe(await ok(['predict', model(0), '-i', rowsFile]));
  });

  test('--on-error line writes the error of an invalid row in place of its answer', async () => {
    const input = '{"text": "good"}\n{"text": 3}\n\nno JSON\n{"txt": "a"}\n{"text": "bad"}\n';
    const { code, out, err } = await brezel(['predict', model(0), '--on-error', 'line'], input);
    const answers = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(answers.map(({ label, error }) => error?.line ?? label)).toEqual([1, 2, 4, 5, 0]);
    for (const { error } of answers.slice(1, 4))
      expect(error).toMatchObject({ code: 'ERR_CLI_ROW', hint: expect.any(String) });
    expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining('3 invalid of 5 rows') });
  });

  test('answers while rows still arrive, and does not store them', async () => {
    const stdin = new PassThrough();
    const out = new PassThrough();
    const ended = runMain(['predict', model(0)], { stdin, stdout: out, stderr: new PassThrough() });
    const finished = ended.finally(() => out.end());
    const line = `${JSON.stringify({ text: 'a good film' })}\n`;
    for (let block = 0; block < 5; block++) stdin.write(line.repeat(4096));
    const [first] = (await once(out, 'data')) as [Buffer];
    expect(first.toString()).toContain('"label": 1');
    stdin.end();
    expect((await text(out)).trim().split('\n').length).toBeGreaterThan(1);
    expect(await finished).toBe(0);
  });

  describe('--csv', () => {
    const echo = () => folder.file('echo.onnx', echoModel());
    test('accepts quoted fields, elements of vectors, and columns in any order', async () => {
      const csv = '\uFEFFx[1],id,text,x[0]\r\n2,7,"a ""b"", c\nd",0.5\r\n,-9,,1e3\r\n';
      expect(await ok(['predict', echo(), '--csv'], csv)).toBe(
        '{"TEXT": "a \\"b\\", c\\nd", "X": [0.5, 2], "ID": 7}\n{"TEXT": "", "X": [1000, "NaN"], "ID": -9}\n',
      );
    });
    test.each([
      ['an unknown column', 'id,text,x[0],x[1],y\n', /column "y".*line 1|line 1.*column "y"/],
      ['a missing column', 'id,text,x[0]\n', /"x\[1\]"/],
      ['a column twice', 'id,text,x[0],x[0]\n', /twice/],
      ['a short row', 'id,text,x[0],x[1]\n1,a,2\n', /line 2.*received 3/],
      ['a number that is none', 'id,text,x[0],x[1]\n1,a,2,b\n', /line 2.*"b"/],
      ['an open quote', 'id,text,x[0],x[1]\n1,"a,2,3\n', /line 2/],
    ])('rejects %s', async (_, csv, message) => {
      const { code, out, err } = await brezel(['predict', echo(), '--csv'], csv);
      expect({ code, out, err }).toEqual({ code: 1, out: '', err: expect.stringMatching(message) });
    });
  });

  describe('missing values and extra fields', () => {
    const fleet = folder.path('missing.brezel');
    beforeAll(async () => {
      using flour = await createFlour();
      const age = flour.input('age', scalar('float32')).asVector().impute({ values: 7 });
      const x = flour.input('x', vector('float32', 2)).impute({ values: [1, 2] });
      const w = flour.input('w', scalar('float32')).map('negate');
      const plan = flour.program({ y: age.concat(x), w }, { name: 'missing' }).plan();
      await packFleet([plan], fleet, { store: flour.store });
    });
    test('null, "NaN" and absent fields are missing numbers if the model accepts them', async () => {
      const lines = '{"w": 0.1}\n{"w": "NaN", "age": null, "x": [null, "NaN"]}\n';
      expect(await ok(['predict', fleet], lines)).toBe('{"y": [7, 1, 2], "w": -0.1}\n{"y": [7, 1, 2], "w": "NaN"}\n');
      expect((await brezel(['predict', fleet, '--missing', 'refuse'], lines)).err).toContain('line 1, input "age"');
      for (const row of ['{}', '{"w": null}'])
        expect((await brezel(['predict', fleet], row)).err).toContain('expected float32 at line 1, input "w"');
    });
    test('extra fields are errors, or are ignored', async () => {
      const line = '{"w": 1, "id": "a"}';
      expect((await brezel(['predict', fleet], line)).err).toContain('an extra field "id"');
      expect(await ok(['predict', fleet, '--extra-fields', 'ignore'], line)).toBe('{"y": [7, 1, 2], "w": -1}\n');
    });
    test('columns of CSV', async () => {
      const csv = 'id,w,x[0],x[1]\na,1,3,\n';
      expect((await brezel(['predict', fleet, '--csv'], csv)).err).toContain('column "id"');
      const flags = ['--csv', '--extra-fields', 'ignore'];
      expect(await ok(['predict', fleet, ...flags], csv)).toBe('{"y": [7, 3, 2], "w": -1}\n');
      expect((await brezel(['predict', fleet, ...flags], 'id,age\n')).err).toContain('a column "w"');
    });
    test('types and schema', async () => {
      const flags = ['--missing', 'accept', '--extra-fields', 'ignore'];
      const types = await ok(['types', fleet, ...flags]);
      expect(types).toContain("readonly age?: number | 'NaN' | null;");
      expect(types).toContain("readonly x?: readonly (number | 'NaN' | null)[] | Float32Array | Float64Array | null;");
      expect(types).toContain('readonly w: number;\n  readonly [field: string]: unknown;');
      const schema = JSON.parse(await ok(['schema', fleet, '--of', 'row', ...flags]));
      expect(schema).toMatchObject({ required: ['w'], additionalProperties: true });
      expect(JSON.parse(await ok(['schema', fleet, '--of', 'row'])).required).toEqual(['age', 'x', 'w']);
      expect(await ok(['types', fleet])).toContain('readonly age: number;');
    });
  });

  test('an error leaves the output file unchanged', async () => {
    const output = folder.file('kept.jsonl', 'before');
    const { code } = await brezel(['predict', model(0), '-i', '-', '-o', output], `${rows}\n{"text": 1}`);
    expect(code).toBe(1);
    expect(readFileSync(output, 'utf8')).toBe('before');
    expect(existsSync(folder.path('new.jsonl'))).toBe(false);
  });
});

test('as a process: streams, exit codes, and its end', async () => {
  const command = ['predict', model(0), '-i', '-'];
  const [whole, fault, usage] = await Promise.all([
    brezelProcess(command, rows),
    brezelProcess(command, '{"text": 1}'),
    brezelProcess(['predict']),
  ]);
  expect(whole).toEqual({ code: 0, out: await ok(command, rows), err: '' });
  expect(fault).toMatchObject({ code: 1, out: '', err: expect.stringMatching(/^brezel: ERR_CLI_\w+: [^\n]+\n$/) });
  expect(usage).toMatchObject({ code: 2, out: '', err: expect.stringMatching(/^brezel: ERR_CLI_USAGE: [^\n]+\n$/) });
});

test('--version and --help', async () => {
  const { version } = JSON.parse(readFileSync(new URL('../../brezel/package.json', import.meta.url), 'utf8'));
  for (const command of [['--version'], ['-V'], ['--version', 'predict']])
    expect(await ok(command)).toBe(`${version}\n`);
  const [help, predictHelp] = await Promise.all([ok(['--help']), ok(['predict', '--help'])]);
  for (const command of ['inspect', 'explain', 'predict', 'Examples:']) expect(help).toContain(command);
  expect(predictHelp).toContain('Infinity');
  expect(await ok([])).toBe(help);
});

test('--version does not load the library', async () => {
  const loading = (option: string) => brezelProcess([option], undefined, { NODE_DEBUG: 'esm' });
  const [versioned, helped] = await Promise.all([loading('--version'), loading('--help')]);
  expect(helped.err).toContain('packages/oven/dist');
  expect(versioned.err).toContain('packages/core/dist');
  expect(versioned.err).not.toContain('packages/oven/dist');
});
