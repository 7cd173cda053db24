import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { brezel, model } from './brezel.js';

const folder = mkdtempSync(join(tmpdir(), 'brezel-background-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function fileOf(name: string, content: string): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

const row = '{"text": "The film was not good."}\n';
const background = fileOf('background.jsonl', '{"text": "The film was good."}\n\n{"text": "A bad film."}\n');

describe('--background', () => {
  it('compares rows with the rows of a file', async () => {
    const options = ['--class', '1', '--background', background];
    const { code, out, err } = await brezel(['contributions', model(0), '--json', ...options], row);
    expect([code, err]).toEqual([0, '']);
    const why = JSON.parse(out);
    const rows = '{"text": "The film was good."}\n{"text": "A bad film."}\n';
    const plain = await brezel(['contributions', model(0), '--json', '--class', '1'], rows);
    const scores = plain.out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).raw as number);
    expect(why.base).toBeCloseTo((scores[0]! + scores[1]!) / 2, 6);
    const predicted = await brezel(['predict', model(0), '--contributions', '10', ...options], row);
    expect(JSON.parse(predicted.out).contributions).toEqual(why);
    const important = await brezel(['importance', model(0), '--json', ...options], row);
    const [{ features }] = JSON.parse(important.out).classes;
    const greatest = Math.abs(why.contributions[0].value);
    expect(features[0].importance).toBeCloseTo(greatest, 6);
  });

  it('with --samples estimates explanations, the same ones for the same seed', async () => {
    const options = ['--class', '1', '--background', background, '--samples', '2'];
    const flags = ['contributions', model(0), '--json', ...options];
    const { code, out, err } = await brezel([...flags, '--seed', '3'], row);
    expect([code, err]).toEqual([0, '']);
    const why = JSON.parse(out);
    // The text is the only field, so its contribution is exact.
    expect(why.sampling).toEqual({ samples: 2, seed: 3, evaluations: 0 });
    expect(why.contributions).toEqual([{ input: 'text', at: [0, 22], value: expect.any(Number), error: 0 }]);
    expect(why.base + why.contributions[0].value).toBeCloseTo(why.raw, 6);
    const text = await brezel(['contributions', model(0), ...options], row);
    expect(text.out).toContain('text');
    const important = await brezel(['importance', model(0), '--json', ...options], row);
    expect(JSON.parse(important.out).classes[0].features[0].importance).toBeCloseTo(
      Math.abs(why.contributions[0].value),
      9,
    );
    for (const wrong of [
      ['--samples', '3'],
      ['--background', background, '--seed', '3'],
      ['--background', background, '--samples', 'x'],
    ])
      expect((await brezel(['contributions', model(0), ...wrong], row)).code).toBe(2);
    const one = await brezel(['contributions', model(0), '--background', background, '--samples', '1'], row);
    expect([one.code, one.err]).toEqual([1, expect.stringContaining('an integer from 2')]);
  });

  it('names the file and the line of an invalid row', async () => {
    const explain = (path: string) => brezel(['contributions', model(0), '--background', path], row);
    const wrong = await explain(fileOf('wrong.jsonl', '{"text": "good"}\n\n{"text": 3}\n'));
    expect([wrong.code, wrong.err]).toEqual([1, expect.stringMatching(/wrong\.jsonl: .*line 3, input "text"/s)]);
    const json = await explain(fileOf('json.jsonl', '{"text": "good"}\n{\n'));
    expect([json.code, json.err]).toEqual([1, expect.stringMatching(/json\.jsonl: .*line 2/s)]);
    const empty = await explain(fileOf('empty.jsonl', '\n'));
    expect([empty.code, empty.err]).toEqual([1, expect.stringContaining('an array of 1 to 10000 rows')]);
    const absent = await explain(join(folder, 'absent.jsonl'));
    expect([absent.code, absent.err]).toEqual([1, expect.stringContaining('absent.jsonl')]);
    expect((await explain('-')).code).toBe(2);
    const alone = await brezel(['predict', model(0), '--background', background], row);
    expect([alone.code, alone.err]).toEqual([2, expect.stringContaining('--background without --contributions')]);
  });
});
