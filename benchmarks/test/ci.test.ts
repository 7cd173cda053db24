import { expect, test } from 'vitest';
import { againstBase, againstRival, markdown, type Trial } from '../ci/verdicts.mjs';

// Tests the verdicts of bench:ci on generated trials: a slower build is a regression, a noisy
// machine is not.

/**
 * Returns trials in which every call takes `level` µs in base and `factor` times as long in head.
 * The speed of the machine drifts by 2x from round to round.
 */
function trials(factor: (what: string) => number, noise = (_trial: number) => 1): Trial[] {
  const calls = { 'SA single': 5, 'forest single': 2, 'forest batch': 200, 'SA load': 20_000 };
  return Array.from({ length: 8 }, (_, trial) => {
    const rounds = (micros: number) => Array.from({ length: 12 }, (_, round) => micros * (1 + (round % 3) / 2));
    const times = Object.entries(calls).flatMap(([what, micros]) => [
      [`head ${what}`, rounds(micros * factor(what) * noise(trial))],
      [`base ${what}`, rounds(micros)],
      [`rival ${what}`, rounds(micros * 12 * noise(trial + 1))],
    ]);
    return { times: Object.fromEntries(times), bytes: { head: { '8 SA': 1000 }, base: { '8 SA': 1000 } } };
  });
}

const THRESHOLD = 0.1;
const verdicts = (seen: Trial[]) =>
  Object.fromEntries(againstBase(seen, THRESHOLD).map(({ what, verdict }) => [what, verdict]));
/** Returns the speed of the process of a trial. The speeds differ by 10 % or more. */
const noisy = (trial: number) => [1.1, 0.9, 1.05, 0.95, 1.2, 0.85, 1, 1][trial % 8]!;

test('a call that takes a third longer is a regression, and other calls are not', () => {
  expect(verdicts(trials((what) => (what === 'forest single' ? 1.33 : 1)))).toEqual({
    'SA single': 'same',
    'forest single': 'regressed',
    'forest batch': 'same',
    'SA load': 'same',
    'parameters of 8 SA': 'same',
  });
});

test('an increase within the limit is reported, without failing', () => {
  const [first] = againstBase(
    trials(() => 1.05),
    THRESHOLD,
  );
  expect(first).toMatchObject({ verdict: 'slower', isBad: false });
});

test('if processes differ more than the builds, there is no regression', () => {
  expect(new Set(Object.values(verdicts(trials(() => 1.12, noisy))))).toEqual(new Set(['same']));
});

test('twice the time is a regression, also on a noisy machine', () => {
  expect(verdicts(trials(() => 2, noisy))['SA load']).toBe('regressed');
});

test('bytes of parameters need no statistics', () => {
  const seen = trials(() => 1);
  seen[0]!.bytes.head!['8 SA'] = 1101;
  expect(verdicts(seen)['parameters of 8 SA']).toBe('regressed');
});

test('the rival: only a broken build is below the floor', () => {
  expect(againstRival(trials(() => 1)).every(({ isBad }) => !isBad)).toBe(true);
  const slow = againstRival(trials(() => 4, noisy));
  expect(slow.map(({ what, isBad }) => [what, isBad])).toEqual([
    ['SA single', true],
    ['forest single', false],
    ['forest batch', false],
  ]);
});

test('the summary names the regressions', () => {
  const seen = trials((what) => (what === 'SA load' ? 1.5 : 1));
  const text = markdown({
    head: 'working tree',
    base: 'abc',
    threshold: THRESHOLD,
    trials: seen.length,
    machine: 'a machine',
    versus: againstBase(seen, THRESHOLD),
    rival: againstRival(seen),
  });
  expect(text).toContain('### Benchmarks: 1 workloads regressed');
  expect(text).toContain('| SA load | 45000 µs | 1.50x (1.50-1.50) | **regressed** |');
  expect(text).toContain('| forest batch | 3600 µs | 12.0x (12.0-12.0) | fine |');
});
