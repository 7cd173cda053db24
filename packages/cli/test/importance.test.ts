import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { corpus } from '../../brezel/test/corpus/corpus.js';
import { brezel, model } from './brezel.js';

const rows = '{"text": "film good"}\n\n{"text": "not good"}\n';

describe('brezel importance', () => {
  it('lists the features of a class, the most important first', async () => {
    const { code, out, err } = await brezel(['importance', model(0), '--class', '1', '--top', '2'], rows);
    expect([code, err]).toEqual([0, '']);
    const [title, , first, second, other] = out.split('\n').map((line) => line.trim().split(/ {2,}/));
    expect(title).toEqual(['probabilities[1], 2 rows']);
    expect([first!.slice(2), second!.slice(2)]).toEqual([
      ['2', 'text: "good"'],
      ['1', 'text: "not"'],
    ]);
    expect(other![1]).toBe('other features');
    const all = await brezel(['importance', model(0), '--json', '--top', '1'], rows);
    const { classes } = JSON.parse(all.out);
    expect(classes.map((one: { class: number }) => one.class)).toEqual([0, 1]);
    expect(classes[0].features[0].mean).toBeCloseTo(-classes[1].features[0].mean, 6);
  });

  it('draws a beeswarm, the same one for the same seed', async () => {
    const flags = ['importance', model(0), '--svg', '--sample', '1', '--seed', '3'];
    const { code, out } = await brezel(flags, rows);
    expect(code).toBe(0);
    expect(out).toMatch(/^<svg/);
    expect(out).toContain('over 2 rows, sample with seed 3');
    expect((await brezel(flags, rows)).out).toBe(out);
    expect(out).toContain('probabilities[1]'); // the last class
    expect((await brezel([...flags, '--class', '1'], rows)).out).toBe(out);
    const first = await brezel([...flags, '--class', '0'], rows);
    expect(first.out).toContain('Importance for probabilities[0]');
    const absent = await brezel([...flags, '--of', 'scores'], rows);
    expect([absent.code, absent.err]).toEqual([1, expect.stringContaining('ERR_EXPLAIN_OUTPUT')]);
  });

  it('names the line of an invalid row, and refuses invalid flags', async () => {
    const invalid = await brezel(['importance', model(0)], `${rows}{"text": 3}\n`);
    expect([invalid.code, invalid.err]).toEqual([1, expect.stringContaining('line 4')]);
    const json = await brezel(['importance', model(0)], `${rows}{\n`);
    expect([json.code, json.err]).toEqual([1, expect.stringContaining('line 4')]);
    const empty = await brezel(['importance', model(0)], '\n');
    expect([empty.code, empty.err]).toEqual([1, expect.stringContaining('at least one row')]);
    for (const flags of [
      ['--top', 'x'],
      ['--svg', '--json'],
      ['--svg', 'rows.jsonl'],
      ['--seed', '-1'],
    ])
      expect((await brezel(['importance', model(0), ...flags], rows)).code).toBe(2);
  });

  it.skipIf(corpus === undefined)('is the mean of the contributions of XGBoost (corpus)', async () => {
    const folder = join(corpus!, 'contributions', 'binary-depth3');
    const args = [
      'importance',
      join(folder, 'model.json'),
      '--json',
      '--top',
      '40',
      '-i',
      join(folder, 'inputs.jsonl'),
    ];
    const { classes } = JSON.parse((await brezel(args)).out);
    const lines = readFileSync(join(folder, 'expected.jsonl'), 'utf8').trimEnd().split('\n');
    const expected = lines.map((line) => JSON.parse(line).contributions as number[]);
    for (let index = 0; index < 30; index++) {
      const mean = expected.reduce((sum, all) => sum + Math.abs(all[index]!), 0) / expected.length;
      const found = classes[0].features.find((one: { index: number }) => one.index === index)?.importance ?? 0;
      expect(Math.abs(found - mean)).toBeLessThan(1e-4);
    }
  });
});
