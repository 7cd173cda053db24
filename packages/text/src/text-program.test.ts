import { expect, test } from 'vitest';
import { charClass, foldCodePoint, hasCodePoint, perlClasses } from './index.js';
import { buildTextProgram, type TextProgram, TextProgramReader } from './text-program.js';

const programs: readonly TextProgram[] = [
  { fold: 'lower', mode: 'runs', charClass: perlClasses.w!, minLength: 2 },
  { fold: 'upper', mode: 'characters', charClass: charClass([0, 0x10ffff]), minLength: 1 },
  { fold: 'none', mode: 'runs', charClass: charClass([0x41, 0x5a, 0x3b1, 0x3c9, 0x1f600, 0x1f64f]), minLength: 1 },
  { fold: 'lower', mode: 'runs', charClass: [], minLength: 1 },
];

test.each(programs)('reads back program %#', (program) => {
  const blob = buildTextProgram(program);
  const reader = new TextProgramReader(blob);
  expect(reader).toMatchObject({ mode: program.mode, minLength: program.minLength });
  let wrong = 0;
  for (let codePoint = 0; codePoint <= 0x10ffff; codePoint++) {
    const folded = foldCodePoint(codePoint, program.fold);
    const inClass = hasCodePoint(program.charClass, folded) ? 1 : 0;
    const entry = reader.entry(codePoint);
    if (codePoint + (entry >> 1) !== folded || (entry & 1) !== inClass) wrong++;
    if (codePoint < 128 && reader.ascii[codePoint] !== (folded | (inClass << 7))) wrong++;
  }
  expect(wrong).toBe(0);
});

test('has the layout of native/README.md', () => {
  const blob = buildTextProgram(programs[0]!);
  const header = new Uint32Array(blob.buffer, 0, 9);
  expect([...header.subarray(0, 4)]).toEqual([0x4b545a42, 1, 0, 2]);
  expect(header[7]).toBe(blob.length);
  for (const at of [4, 5, 8]) expect(header[at]! % 64).toBe(0);
  expect(buildTextProgram(programs[0]!)).toEqual(blob);
  expect(() => new TextProgramReader(new Uint8Array(64))).toThrow('not a text program');
});

test('reads bytes at any offset', () => {
  const blob = buildTextProgram(programs[0]!);
  const moved = new Uint8Array(blob.length + 1);
  moved.set(blob, 1);
  expect(new TextProgramReader(moved.subarray(1)).entry(0x41)).toBe(0x20 * 2 + 1);
});
