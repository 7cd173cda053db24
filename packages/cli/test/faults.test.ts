import { readFileSync } from 'node:fs';
import { afterAll, describe, expect, test } from 'vitest';
import { brezel, echoModel, model, regressorModel, temporaryFolder } from './brezel.js';

const folder = temporaryFolder();
afterAll(folder.remove);

/**
 * Runs a command that must fail. It must exit with `code`, write nothing to standard output, and
 * write one line to standard error. Returns this line.
 */
async function fault(code: number, args: readonly string[], input?: string | Uint8Array): Promise<string> {
  const ended = await brezel(args, input);
  expect(ended.err).toMatch(/^brezel: ERR_[A-Z_]+: [^\n]+ \(hint: [^\n]+\)\n$/);
  expect(ended).toMatchObject({ code, out: '' });
  return ended.err;
}

const whole = readFileSync(model(0));

describe('files', () => {
  test.each([
    ['nowhere.onnx', undefined, /ERR_CLI_FILE: .*nowhere.onnx: file or folder not found/],
    ['empty.onnx', new Uint8Array(), /ERR_ONNX_\w+: .*empty.onnx: /],
    ['truncated.onnx', whole.subarray(0, whole.length / 2), /ERR_ONNX_\w+: .*truncated.onnx: /],
    ['garbage.onnx', Buffer.from('{"not": "a model"}'), /ERR_ONNX_\w+: .*garbage.onnx: /],
  ])('%s is no model', async (name, content, line) => {
    const path = content === undefined ? folder.path(name) : folder.file(name, content);
    const lines = await Promise.all([fault(1, ['inspect', path]), fault(1, ['predict', path, '--input', '-'], '')]);
    for (const said of lines) expect(said).toMatch(line);
  });

  test('a folder cannot be read or written', async () => {
    const place = folder.path('.');
    const echo = folder.file('whole.onnx', echoModel());
    const faults = await Promise.all([
      fault(1, ['explain', place]),
      fault(1, ['predict', echo, '-i', place]),
      fault(1, ['predict', echo, '-i', '-', '-o', place], ''),
      fault(1, ['predict', echo, '-i', '-', '-o', folder.path('no/such')], ''),
    ]);
    expect(faults.map((line) => /expected a file|a directory|not found/.exec(line)?.[0])).toEqual([
      'expected a file',
      'expected a file',
      'a directory',
      'not found',
    ]);
  });

  test.each([
    ['predict', ['-i']],
    ['verify', ['--expected', '-', '--rows']],
    ['verify', ['--rows', '-', '--expected']],
    ['bench', ['--rows']],
    ['contributions', ['-i']],
    ['importance', ['-i']],
    ['explain', ['--analyze']],
  ])('%s %j: an error about a file names the file once', async (verb, flags) => {
    const echo = folder.file('named-once.onnx', echoModel());
    for (const [path, reason] of [
      [folder.path('missing.jsonl'), 'file or folder not found'],
      [folder.path('.'), 'received a directory'],
    ] as const) {
      const line = await fault(1, [verb, echo, ...flags, path], '');
      expect(line).toContain(reason);
      expect(line.split(path)).toHaveLength(2);
      expect(line).toMatch(/^brezel: ERR_CLI_FILE: (cannot use the file|expected a file) at /);
    }
  });

  test('an error about the output file does not name the input', async () => {
    const echo = folder.file('out.onnx', echoModel());
    const rows = folder.file('in.jsonl', '{"text": "fine", "x": [1, 2], "id": 3}');
    const line = await fault(1, ['predict', echo, '-i', rows, '-o', folder.path('no/such')]);
    expect(line).toContain(`at ${folder.path('no/such')}: file or folder not found`);
    expect(line).not.toContain('in.jsonl');
  });

  test('weights that are NaN are rejected, unless they are allowed', async () => {
    const poisoned = folder.file('poisoned.onnx', regressorModel([1, Number.NaN]));
    const commands = [['inspect'], ['explain'], ['predict', '-i', '-'], ['pack', '-o', folder.path('p.brezel')]];
    const lines = await Promise.all(commands.map(([name, ...more]) => fault(1, [name!, poisoned, ...more], '')));
    for (const line of lines)
      expect(line).toMatch(
        /ERR_ONNX_WEIGHT: .*poisoned.onnx: .*coefficients\[1\], received NaN \(hint: .*--allow-non-finite/,
      );
    const given = ['predict', poisoned, '-i', '-', '--allow-non-finite'];
    expect(await brezel(given, '{"x": [1, 2]}\n')).toMatchObject({ code: 0, out: '{"y": ["NaN"]}\n' });
  });

  test('an invalid model among valid models is named', async () => {
    const bad = folder.file('bad.onnx', whole.subarray(0, 1000));
    expect(await fault(1, ['inspect', model(0), bad])).toContain('bad.onnx');
  });
});

describe('rows', () => {
  const echo = folder.file('echo.onnx', echoModel());
  const row = (fields: object) => JSON.stringify({ text: 'fine', x: [1, 2], id: 3, ...fields });
  const good = row({});
  const cases: [string, string, RegExp][] = [
    ['invalid JSON', '{"text": ', /line 2, received .*JSON/],
    ['no object', '3', /expected a JSON object at line 2, received a number/],
    ['a missing field', '{"text": "a", "x": [1, 2]}', /expected int64 at line 2, input "id", received nothing/],
    ['an extra field', row({ more: 1 }), /line 2: an extra field "more"/],
    ['null', row({ text: null }), /expected text at line 2, input "text", received null/],
    ['a wrong type', row({ text: 7 }), /expected text at line 2, input "text", received 7/],
    ['a list for a scalar', row({ text: ['a', 'b'] }), /at line 2, input "text", received an array of 2/],
    ['a short list', row({ x: [1] }), /expected float32\[2\] at line 2, input "x", received 1 elements/],
    ['a text for a number', row({ x: [1, 'two'] }), /expected float32 at line 2, input "x", received text "two"/],
    ['a fraction for an integer', row({ id: 1.5 }), /line 2, input "id", received 1.5/],
    ['not a number for an integer', row({ id: 'NaN' }), /line 2, input "id", received text "NaN"/],
  ];
  test.each(cases)('%s is reported with its line', async (_, bad, line) => {
    expect(await fault(1, ['predict', echo, '-i', '-'], `${good}\n${bad}\n${good}`)).toMatch(line);
  });

  test('a row is reported with its line for every kind of call', async () => {
    const input = `${good}\n\n${row({ id: null })}`;
    const calls = [['--single'], ['--engine', 'request-response'], ['--engine', 'reference']];
    const said = await Promise.all(calls.map((flags) => fault(1, ['predict', echo, '-i', '-', ...flags], input)));
    for (const one of said) expect(one).toMatch(/expected int64 at line 3, input "id", received null/);
  });

  test('a text beyond the limit is reported with its line, for every engine', async () => {
    const input = `{"text": "fine"}\n\n${JSON.stringify({ text: 'x'.repeat(17 * 2 ** 20) })}`;
    const engines = ['batch', 'request-response'];
    const calls = engines.map((engine) => fault(1, ['predict', model(0), '-i', '-', '--engine', engine], input));
    for (const said of await Promise.all(calls)) expect(said).toContain('line 3');
  });

  test('bytes that are not UTF-8', async () => {
    expect(await fault(1, ['predict', echo, '-i', '-'], Buffer.from([0x22, 0xff, 0x22]))).toContain('expected UTF-8');
  });
});

test.concurrent.each([
  [['bake'], "unknown command 'bake'"],
  [['inspect'], "missing required argument 'models'"],
  [['predict', 'm.onnx', '-i', 'x', '--engine', 'warp'], 'request-response, batch, reference'],
  [['predict', 'm.onnx', '-i', 'x', '--engine', 'inline'], 'request-response, batch, reference'],
  [['predict', '-', '-i', '-'], 'standard input for model and rows'],
  [['predict', 'm.onnx', 'rows.jsonl'], 'brezel predict MODEL --input FILE'],
  [['verify', 'm.onnx', 'rows.jsonl'], 'brezel verify MODEL --rows FILE'],
  [['explain', 'm.onnx', '--fast'], "unknown option '--fast'"],
  [['explain', 'm.onnx', '--json', '--dot'], 'cannot be used with'],
  [['explain'], "missing required argument 'models'"],
  [['explain', 'm.onnx', '--svg', '--verbose'], 'cannot be used with'],
  [['explain', 'm.onnx', '--svg', 'other.onnx'], 'expected a file that ends in .svg at --svg, received other.onnx'],
  [['explain', 'm.onnx', '--single'], '--single without --analyze'],
  [['explain', 'm.onnx', '--rows', '7'], '--rows without --device'],
  [['explain', 'm.onnx', '--device', 'auto', '--rows', '1e9'], 'a positive number of rows'],
  [['explain', 'm.onnx', '--device', 'tpu'], 'Allowed choices are auto, gpu'],
  [['explain', '-', '--analyze', '-'], 'standard input 2 times'],
])('brezel %j is rejected', async (args, words) => {
  const line = await fault(2, args);
  expect(line).toContain('ERR_CLI_USAGE');
  expect(line).toContain(words);
});

test('invalid rows for --analyze are reported with file and line', async () => {
  const analyze = (input: string, ...models: string[]) => fault(1, ['explain', ...models, '--analyze', '-'], input);
  const [empty, extra, broken, nowhere] = await Promise.all([
    analyze('\n', model(0)),
    analyze('{"text": "fine"}\n\n{"txt": 1}', model(0), model(1)),
    analyze('{"text": ', model(0)),
    fault(1, ['explain', model(0), '--analyze', folder.path('nowhere.jsonl')]),
  ]);
  expect(empty).toMatch(/ERR_CLI_ROW: standard input: expected at least one row .*received none/);
  expect(extra).toMatch(/ERR_CLI_ROW: standard input, .*sa-fam-a-00.onnx: .* line 3: an extra field "txt"/);
  expect(broken).toMatch(/ERR_CLI_ROW: standard input: .*line 1, received .*JSON/);
  expect(nowhere).toMatch(/ERR_CLI_FILE: .*nowhere.jsonl: file or folder not found/);
});

test('a picture that cannot be written is an error', async () => {
  expect(await fault(1, ['explain', model(0), '--svg', folder.path('no/such/plan.svg')])).toContain('ERR_CLI_FILE');
});

test('an unknown rule is rejected, with a list of the rules', async () => {
  expect(await fault(1, ['explain', model(0), '--disable', 'sing'])).toMatch(
    /expected one of .*push-linear-through-concat.*received sing/,
  );
});
