import { describe, expect, it } from 'vitest';
import { brezel } from './brezel.js';

/** A log in which two candidates alternate. Candidate a loses 0.25 on average, and b 0.75. */
const log = Array.from({ length: 400 }, (_, query) => {
  const name = query % 2 === 0 ? 'a' : 'b';
  const loss = (Math.floor(query / 2) % 4 === 0) === (name === 'a') ? 1 : 0;
  return [
    { kind: 'prediction', query: `${query}`, probabilities: { a: 0.5, b: 0.5 }, answers: {} },
    { kind: 'feedback', query: `${query}`, losses: { [name]: loss }, loss },
  ];
})
  .flat()
  .map((record) => `${JSON.stringify(record)}\n`)
  .join('');

describe('brezel replay-feedback', () => {
  it('prints the estimates of each policy', async () => {
    const args = ['replay-feedback', '-', '--policy', 'epsilon-greedy:epsilon=1', '--policy', 'exp3'];
    const { code, out, err } = await brezel(args, log);
    expect([code, err]).toEqual([0, '']);
    const [head, names, even, exp3] = out.split('\n');
    expect(head).toBe('400 predictions with feedback; the answers lost 0.5000 (0.4509-0.5491) on average');
    expect(names).toMatch(/^ {2}policy +ips +snips +dr +learned from$/);
    expect(even).toMatch(/^ {2}epsilon-greedy:epsilon=1 +0\.5000 \(0\.4509-0\.5491\) +0\.5000/);
    // exp3 learns to ask a.
    expect(Number(/exp3 +(\S+)/.exec(exp3!)![1])).toBeLessThan(0.45);
  });

  it('prints JSON', async () => {
    const { out } = await brezel(['replay-feedback', '-', '--policy', 'exp3', '--json', '--seed', '7'], log);
    expect(JSON.parse(out)).toMatchObject({ events: 400, logged: { loss: 0.5 }, policies: [{ name: 'exp3' }] });
  });

  it.each([
    [['replay-feedback', '-', '--policy', 'exp9'], 2, 'expected --policy: one of exp3, exp4'],
    [['replay-feedback', '-', '--policy', 'exp3:eta'], 2, 'expected --policy NAME:OPTION=NUMBER, received exp3:eta'],
    [['replay-feedback', '-', '--policy', 'exp3:eta=-1'], 1, 'expected eta from 0 to 100'],
    [['replay-feedback', '-', '--policy', 'exp4'], 1, 'expected the losses of all candidates, which exp4 asks'],
    [['replay-feedback', '-'], 2, "required option '-p, --policy <policy>' not specified"],
    [['replay-feedback', 'missing.jsonl', '--policy', 'exp3'], 1, 'ERR_CLI_FILE'],
    [['replay-feedback', '-', '--policy', 'exp3:etaa=1'], 1, 'expected the option "eta"'],
    [['replay-feedback', '-', '--policy', 'exp3:eta=1:junk'], 2, 'received exp3:eta=1:junk'],
    [['replay-feedback', '-', '--policy', 'exp3', '--selection', 'other'], 1, 'expected a prediction with feedback'],
  ])('%j fails', async (args, exit, message) => {
    const { code, err } = await brezel(args, log);
    expect(err).toContain(message);
    expect(code).toBe(exit);
  });
});
