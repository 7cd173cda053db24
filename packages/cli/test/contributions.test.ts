import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { corpus } from '../../brezel/test/corpus/corpus.js';
import { contributionTable } from '../src/explanation-flags.js';
import { contributionsText } from '../src/text/contributions-text.js';
import { brezel, model } from './brezel.js';

const row = '{"text": "The film was not good, not good at all."}\n';

describe('brezel contributions', () => {
  it('lists what adds to the score, the greatest first', async () => {
    const { code, out, err } = await brezel(['contributions', model(0), '--top', '2'], row);
    expect([code, err]).toEqual([0, '']);
    const [head, ...lines] = out.trimEnd().split('\n');
    expect(head).toMatch(/^row 1 {2}probabilities\[0\] = 0\.5554969, score 0\.2229, link logit$/);
    expect(lines.map((line) => line.replace(/\s*█+\s*/, ' | ').trim())).toEqual([
      '+0.3384 | text: "not" (2 times)',
      '-0.1811 | text: "good" (2 times)',
      '+0.1296 | other values',
      '-0.06397 | base',
    ]);
  });

  it('prints no control characters of a model', () => {
    const evil = '\u001b[2Jyes\u009b31m\r\n';
    const contributions = [{ input: evil, feature: evil, value: 1, at: [0, 1] as const }];
    const why = { output: evil, class: evil, answer: evil, raw: 1, base: 0, link: 'identity', rest: 0, contributions };
    expect(contributionsText('row 1', { [evil]: evil }, why)).not.toMatch(/[^\P{Cc}\n]/u);
  });

  it('writes one JSON object per row', async () => {
    const { code, out } = await brezel(['contributions', model(0), '--json', '--class', '1'], `${row}\n${row}`);
    expect(code).toBe(0);
    const all = out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(all).toHaveLength(2);
    expect(all[0]).toEqual(all[1]);
    expect(all[0]).toMatchObject({ output: 'probabilities', class: 1, link: 'logit' });
    expect(all[0].contributions).toHaveLength(10);
    expect(all[0].contributions[0]).toMatchObject({
      input: 'text',
      feature: 'not',
      places: [
        [13, 16],
        [23, 26],
      ],
    });
  });

  it('names the line of an invalid row, and an unknown output or class', async () => {
    const invalid = await brezel(['contributions', model(0)], `${row}{"text": 1}\n`);
    expect(invalid.code).toBe(1);
    expect(invalid.err).toContain('line 2');
    const output = await brezel(['contributions', model(0), '--of', 'scores'], row);
    expect(output.err).toContain('expected label, probabilities at output');
    const one = await brezel(['contributions', model(0), '--class', '2'], row);
    expect(one.err).toContain('an index below 2');
    const top = await brezel(['contributions', model(0), '--top', 'many'], row);
    expect(top.code).toBe(2);
  });

  it('writes CSV whose columns add up to the score', async () => {
    const csv = await brezel(['contributions', model(0), '--to-csv', '--class', '1'], `${row}\n${row}`);
    expect([csv.code, csv.err]).toEqual([0, '']);
    const [header, first, second, ...none] = csv.out.split('\n').map((line) => line.split(','));
    expect(header).toEqual(['line', 'output', 'class', 'answer', 'raw', 'base', 'rest', 'text']);
    expect(first!.slice(0, 3)).toEqual(['1', 'probabilities', '1']);
    expect([second![0], none]).toEqual(['3', [['']]]);
    const [raw, ...parts] = first!.slice(4).map(Number);
    expect(parts.reduce((sum, part) => sum + part, 0)).toBeCloseTo(raw!, 6);
    const top = await brezel(['contributions', model(0), '--to-csv', '--top', '3'], row);
    expect(top.code).toBe(2);
  });

  it('writes CSV with different columns, no control characters and no formulas', () => {
    const port = (name: string, size?: number) => ({
      name,
      type: size === undefined ? { kind: 'scalar', dtype: 'float32' } : { kind: 'vector', dtype: 'float32', size },
    });
    const inputs = [port('x', 2), port('x[0]'), port('raw'), port('raw (input)'), port('a\u0001'), port('a\u0002')];
    const table = contributionTable({ inputs: [...inputs, port('a\u0003'), port('=1+1')] } as never);
    const header = table.header.trimEnd().split(',').slice(7);
    expect(header).toEqual([
      'x[0]',
      'x[1]',
      'x[0] (input)',
      'raw (input)',
      'raw (input) (input)',
      'a\ufffd',
      'a\ufffd (input)',
      'a\ufffd (input 2)',
      "'=1+1",
    ]);
    const why = { output: '@y', raw: -0, base: -2, link: 'identity', rest: 0, contributions: [] as object[] };
    why.contributions.push({ input: 'x', index: 0, value: 3 }, { input: 'x[0]', value: 4 });
    why.contributions.push({ input: 'raw (input)', value: 5 }, { input: 'a\u0003', value: 6 });
    const lineOf = (answer: unknown) => table.line(1, { ...why, answer } as never);
    expect(lineOf('=HYPERLINK("x")')).toBe(`1,'@y,,"'=HYPERLINK(""x"")",0,-2,0,3,0,4,0,5,0,0,6,0\n`);
    const answers = ['-1', '+1', '\t=1', '\r\n=1', '\uff1d1', "it's", -1, -3n, Number.NEGATIVE_INFINITY];
    expect(answers.map((answer) => lineOf(answer).split(',')[3])).toEqual([
      "'-1",
      "'+1",
      '\ufffd=1',
      '\ufffd\ufffd=1',
      "'\uff1d1",
      "it's",
      '-1',
      '-3',
      '-Infinity',
    ]);
  });

  it.skipIf(corpus === undefined)('writes the numbers of XGBoost as CSV (corpus)', async () => {
    const folder = join(corpus!, 'contributions', 'binary-depth3');
    const args = ['contributions', join(folder, 'model.json'), '--to-csv', '--input', join(folder, 'inputs.jsonl')];
    const { code, out, err } = await brezel(args);
    expect([code, err]).toEqual([0, '']);
    const [header, ...lines] = out
      .trimEnd()
      .split('\n')
      .map((line) => line.split(','));
    expect(header!.slice(7, 9)).toEqual(['x[0]', 'x[1]']);
    const expected = readFileSync(join(folder, 'expected.jsonl'), 'utf8').trimEnd().split('\n');
    expect(lines).toHaveLength(expected.length);
    expected.forEach((line, row) => {
      const { contributions } = JSON.parse(line) as { contributions: number[] };
      const [, base, rest, ...values] = lines[row]!.slice(4).map(Number);
      expect(rest).toBe(0);
      [...values, base!].forEach((value, at) => {
        expect(Math.abs(value - contributions[at]!)).toBeLessThan(1e-4 + 1e-4 * Math.abs(contributions[at]!));
      });
    });
  });
});

describe('brezel contributions --svg', () => {
  it('draws one row: the first one, or the row of a line', async () => {
    const rows = `\n${row}{"text": 3}\n{"text": "A good film."}\n`;
    const first = await brezel(['contributions', model(0), '--svg', '--class', '1', '--top', '3'], rows);
    expect([first.code, first.err]).toEqual([0, '']);
    expect(first.out).toMatch(/^<svg [^>]*>\n<title>probabilities\[1\] = 0\.4445031<\/title>/);
    expect(first.out).toContain('>not</tspan>');
    const second = await brezel(['contributions', model(0), '--svg', '--row', '4'], rows);
    expect(second.out).toContain('>A good film</tspan>');
    const invalid = await brezel(['contributions', model(0), '--svg', '--row', '3'], rows);
    expect([invalid.code, invalid.err]).toEqual([1, expect.stringContaining('line 3')]);
    const absent = await brezel(['contributions', model(0), '--svg', '--row', '1'], rows);
    expect(absent.err).toContain('expected a row in line 1');
  });

  it('rejects invalid combinations of flags', async () => {
    for (const flags of [
      ['--row', '1'],
      ['--svg', 'model.onnx'],
      ['--svg', '--json'],
      ['--svg', '--row', 'x'],
    ])
      expect((await brezel(['contributions', model(0), ...flags], row)).code).toBe(2);
  });
});

describe('brezel predict --contributions', () => {
  it('writes the explanation beside the answer', async () => {
    const plain = await brezel(['predict', model(0)], row);
    const why = await brezel(['contributions', model(0), '--json', '--top', '2', '--class', '1'], row);
    for (const more of [[], ['--single'], ['--engine', 'request-response']]) {
      const flags = ['--contributions', '2', '--class', '1', ...more];
      const { code, out } = await brezel(['predict', model(0), ...flags], row);
      expect(code).toBe(0);
      const { contributions, ...answer } = JSON.parse(out);
      expect(answer).toEqual(JSON.parse(plain.out));
      expect(contributions).toEqual(JSON.parse(why.out));
    }
    const { out } = await brezel(['predict', model(0), '--contributions'], row);
    expect(JSON.parse(out).contributions.contributions).toHaveLength(10);
  });

  it('explains more rows than fit in a group, in order, and marks invalid rows', async () => {
    const rows = Array.from({ length: 600 }, (_, at) =>
      at === 300 ? '{"text": 3}' : `{"text": "film ${at} not good"}`,
    );
    const flags = ['--contributions', '1', '--on-error', 'line'];
    const { code, out } = await brezel(['predict', model(0), ...flags], `${rows.join('\n')}\n`);
    const lines = out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect([code, lines.length]).toEqual([1, 600]);
    expect(lines[300].error.line).toBe(301);
    for (const [at, line] of lines.entries()) if (at !== 300) expect(line.contributions.contributions).toHaveLength(1);
  });

  it('rejects invalid flags', async () => {
    const count = await brezel(['predict', model(0), '--contributions', 'many'], row);
    expect([count.code, count.err]).toEqual([2, expect.stringContaining('--contributions')]);
    const alone = await brezel(['predict', model(0), '--class', '1'], row);
    expect([alone.code, alone.err]).toEqual([2, expect.stringContaining('--class without --contributions')]);
    const unknown = await brezel(['predict', model(0), '--contributions', '--class', '7'], row);
    expect([unknown.code, unknown.err]).toEqual([1, expect.stringContaining('an index below 2')]);
  });
});
