import { describe, expect, it } from 'vitest';
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
});
