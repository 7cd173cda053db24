import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { createFlour, type FlourContext, importOnnx, type Program, profile, profileFleet } from 'brezel';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const folder = new URL('../../../../examples/models/', import.meta.url);
const rowsOf = (...texts: string[]) => texts.map((text) => ({ text }));
/** Rows of three models with different frequent words. */
const samples = [
  rowsOf('a good film, a good plot', 'good good good'),
  rowsOf('what a bore', 'the plot is a bore', 'bore'),
  rowsOf('not my taste'),
];

let flour: FlourContext;
let family: Program[];
beforeAll(async () => {
  flour = await createFlour();
  const files = readdirSync(folder).filter((name) => /^sa-fam-a-\d+\.onnx$/.test(name));
  family = files
    .sort()
    .slice(0, samples.length)
    .map((name) => importOnnx(readFileSync(fileURLToPath(new URL(name, folder))), flour).program);
});
afterAll(() => flour.dispose());

/** Returns the keys of the stages of each program's plan. */
const stageKeys = (programs: readonly Program[]): string[][] =>
  programs.map((program) => {
    const plan = program.plan();
    plan.release();
    return plan.stages.map(({ stage }) => stage.key);
  });

/** Returns the number of different stages of all programs. */
const distinctStages = (programs: readonly Program[]): number => new Set(stageKeys(programs).flat()).size;

const profiledAlone = () => family.map((program, index) => profile(program, samples[index]!));

describe('profileFleet', () => {
  it('leaves the shared stages of a family shared, if the members have different rows', () => {
    expect(family).toHaveLength(3);
    const before = distinctStages(family);
    expect(distinctStages(profiledAlone())).toBeGreaterThan(before);
    const members = family.map((program, index) => ({ program, rows: samples[index]! }));
    expect(distinctStages(profileFleet(members))).toBe(before);
  });

  it('gives members without rows the statistics of shared operators', () => {
    const members = family.map((program, index) => ({ program, rows: index === 0 ? samples[0]! : [] }));
    expect(distinctStages(profileFleet(members))).toBe(distinctStages(family));
  });

  it('gives the plans of `profile` if all members have the same rows', () => {
    const rows = samples.flat();
    const alone = family.map((program) => profile(program, rows));
    const together = profileFleet(family.map((program) => ({ program, rows })));
    expect(stageKeys(together)).toEqual(stageKeys(alone));
  });

  it('rejects a row that does not match its program', () => {
    const members = [
      { program: family[0]!, rows: samples[0]! },
      { program: family[1]!, rows: [{ text: 7 as never }] },
    ];
    expect(() => profileFleet(members)).toThrow(expect.objectContaining({ code: 'ERR_RUNTIME_INPUT' }));
  });
});
