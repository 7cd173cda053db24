import { createHash } from 'node:crypto';
import { createFlour, createRuntime, importOnnx, openStore } from 'brezel';
import { describe, expect, it } from 'vitest';
import { seed as drawn } from '../../packages/brezel/test/conformance/seed.js';
import { compareAnswers, toleranceOf } from '../harness/agreement.mjs';
import { numberOf, openRival } from '../harness/engines.mjs';
import { acFleet, expectedBytes } from '../models/attendee.mjs';
import { CHARACTER_VERSIONS, saFleet, WORD_VERSIONS } from '../models/sentiment-fleet.mjs';
import { agreementRows, openWorkload, rowsOf } from '../models/workload.mjs';

// Tests the generator of the paper's workload. Pipelines must match Table 1 and Figure 3, be equal
// for equal seeds, and give the same answers in both forms.

const seed = drawn % 1000;

const SMALL = { pipelines: 10, entries: 2000, share: 0.005 };
const kinds = ['sa', 'ac'] as const;
const forms = ['natural', 'expert'] as const;

function digest(kind: (typeof kinds)[number], of: number): string {
  const fleet = openWorkload(kind, { ...SMALL, seed: of });
  const hash = createHash('sha256');
  for (const form of forms) for (const at of [0, 3]) hash.update(fleet.model(at, form));
  return hash.digest('hex');
}

describe.each(kinds)('%s', (kind) => {
  it('generates the same bytes for the same seed only', () => {
    expect(digest(kind, seed)).toBe(digest(kind, seed));
    expect(digest(kind, seed)).not.toBe(digest(kind, seed + 1));
  });

  it('gives the same answers in both forms and in Brezel', async () => {
    const fleet = openWorkload(kind, { ...SMALL, seed });
    const rows = agreementRows(kind, 60);
    const store = await openStore();
    await using runtime = createRuntime({ store });
    for (const member of [0, 1, 2, 3]) {
      const flour = await createFlour({ store });
      const plan = runtime.register(importOnnx(fleet.model(member, 'natural'), flour).program.plan());
      const answers: Record<string, number[]> = { brezel: rows.map((row) => numberOf(runtime.predictSync(plan, row))) };
      for (const form of forms) {
        const rival = await openRival(kind);
        await rival.load(fleet.model(member, form));
        answers[form] = await rival.many(0, rows);
        await rival.close();
      }
      expect(new Set(answers.natural).size).toBeGreaterThan(10); // rows have different answers
      const said = compareAnswers(fleet.members[member]!.name, answers, toleranceOf(kind));
      expect(said).toContain('brezel = natural = expert on 60 rows');
      flour.dispose();
    }
  });

  it('shares parameters unless shared is false', async () => {
    const held = async (shared: boolean) => {
      const fleet = openWorkload(kind, { ...SMALL, share: 0.05, seed, shared });
      const store = await openStore();
      const flour = await createFlour({ store });
      const plans = fleet.members.map((_, at) => importOnnx(fleet.model(at, 'natural'), flour).program.plan());
      await using runtime = createRuntime({ store });
      for (const plan of plans) runtime.register(plan);
      const { bytes, unsharedBytes } = runtime.stats().parameters;
      flour.dispose();
      return bytes / unsharedBytes;
    };
    // Separate models still share constant tables, such as character classes.
    const apart = await held(false);
    expect(apart).toBeGreaterThan(0.85);
    expect(await held(true)).toBeLessThan(apart - 0.1);
  });

  it('generates the same rows for the same stream', () => {
    expect(rowsOf(kind, 3, 7)).toEqual(rowsOf(kind, 3, 7));
    expect(rowsOf(kind, 3, 7)).not.toEqual(rowsOf(kind, 3, 8));
  });
});

it('generates 250 sentiment pipelines with a few n-gram versions and separate weights (Figure 3)', () => {
  const { members, dictionaryOf } = saFleet({ entries: 2000, seed });
  expect(members).toHaveLength(250);
  expect(new Set(members.map(({ weights }) => weights)).size).toBe(250);
  for (const [versions, of] of [
    [WORD_VERSIONS, 'words'],
    [CHARACTER_VERSIONS, 'characters'],
  ] as const) {
    versions.forEach(({ share }, version) => {
      const users = members.filter((member) => member[of] === version).length;
      expect(Math.abs(users - share * 250)).toBeLessThanOrEqual(1);
    });
  }
  const sizes = members.map((member) => {
    const { words, pairs, characters } = dictionaryOf(member);
    return words.length + pairs.length + characters.length;
  });
  expect(Math.max(...sizes)).toBeGreaterThan(1980);
  expect(Math.max(...sizes)).toBeLessThan(2020);
});

it('writes texts of about 100 words, some with accents', () => {
  const texts = rowsOf('sa', 200, seed + 20) as string[];
  const words = texts.reduce((sum, text) => sum + text.split(' ').length, 0) / texts.length;
  expect(words).toBeGreaterThan(90);
  expect(words).toBeLessThan(112);
  const accented = texts.filter((text) => /[à-ÿ]/i.test(text)).length;
  expect(accented).toBeGreaterThan(0);
  expect(accented).toBeLessThan(100);
});

it('generates 250 different attendee-count pipelines of 10 KB to 20 MB, 9 MB on average (Table 1)', () => {
  const { members } = acFleet({ seed });
  const sizes = members.map((member) => expectedBytes(member, 1));
  expect(Math.min(...sizes)).toBeGreaterThan(9_000);
  expect(Math.max(...sizes)).toBeLessThan(20_500_000);
  const mean = sizes.reduce((sum, size) => sum + size, 0) / sizes.length;
  expect(mean).toBeGreaterThan(7_500_000);
  expect(mean).toBeLessThan(10_500_000);
  const combination = ({ components, clusters, featurizer, classifier }: (typeof members)[number]) =>
    [components, clusters, featurizer, classifier].join();
  expect(new Set(members.map(combination)).size).toBeGreaterThan(80);
});

it('estimates the bytes of a file', () => {
  const share = 0.01;
  const fleet = openWorkload('ac', { ...SMALL, share, seed });
  const { members } = acFleet({ pipelines: SMALL.pipelines, share, seed });
  const real = [0, 1, 2].reduce((sum, at) => sum + fleet.model(at, 'natural').length, 0);
  const wanted = members.slice(0, 3).reduce((sum, member) => sum + expectedBytes(member, share), 0);
  expect(real / wanted).toBeGreaterThan(0.7);
  expect(real / wanted).toBeLessThan(1.4);
});

it('rejects answers that differ', () => {
  expect(() => compareAnswers('sa', { one: [0.5, 0.25], other: [0.5, 0.26] })).toThrow(
    'sa: 1 of 2 rows differ; row 1: expected 0.25 (one), received 0.26 (other)',
  );
  expect(() => compareAnswers('sa', { one: [0.5], other: [Number.NaN] })).toThrow('NaN');
  expect(() => compareAnswers('sa', { one: [0.5], other: [] })).toThrow(
    'expected 1 answers as of one, received 0 of other',
  );
  const many = Array.from({ length: 1000 }, () => 0.5);
  expect(compareAnswers('ac', { one: many, other: many.with(7, 0.6) }, toleranceOf('ac'))).toContain(
    'another branch in 1',
  );
  expect(() => compareAnswers('ac', { one: many, other: many.map((value) => value + 0.1) }, toleranceOf('ac'))).toThrow(
    '1000 of 1000 rows differ',
  );
});
