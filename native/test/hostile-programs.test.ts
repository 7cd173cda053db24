import { afterEach, describe, expect, it } from 'vitest';
import { seed as SEED } from '../../testing/seed.js';
import { characterDictionary, Random, textProgram } from './blobs.js';
import { addon, codeOf, isas, Program } from './harness.js';
import { dictionary, rules, runs, smallModel } from './small-model.js';

const random = new Random(SEED);
const isa = isas.at(-1)!;
const charactersProgram = textProgram({ ...rules, mode: 'characters' });
const triples = characterDictionary(
  {
    grams: ['goo', 'ood', 'bad', 'no', 'xyz1'].map((text, at) => ({ symbols: [...text], column: at })),
    columns: 5,
    minN: 1,
    maxN: 4,
    seed: 7,
    load: 0.9,
  },
  2,
);

let program = new Program();
afterEach(() => {
  program.free();
  program = new Program();
});

describe('programs', () => {
  const valid = () => ({
    isa,
    slots: [...program.slots],
    instructions: [...program.instructions],
    inputs: [...program.inputs],
    outputs: [...program.outputs],
    parameters: [...program.parameters],
  });

  it('rejects malformed programs', () => {
    smallModel(program);
    const change = (edit: (source: ReturnType<typeof valid>) => unknown) => {
      const source = valid();
      edit(source);
      return codeOf(() => addon.stageRelease(addon.stageCreate(source)));
    };
    expect(change(() => 0)).toBeUndefined();
    const wrong: ((source: ReturnType<typeof valid>) => unknown)[] = [
      (s) => s.slots.pop(),
      (s) => (s.slots[0] = 3),
      (s) => (s.slots[0] = 1),
      (s) => (s.slots[1] = 6),
      (s) => (s.slots[4] = 1),
      (s) => (s.slots[5] = 0),
      (s) => (s.slots[5] = 8),
      (s) => (s.slots[8] = 2),
      (s) => (s.slots[8] = -1),
      (s) => (s.slots[7] = 2),
      (s) => s.instructions.pop(),
      (s) => s.instructions.push(0),
      (s) => (s.instructions[0] = 1000),
      (s) => (s.instructions[0] = -1),
      (s) => (s.instructions[1] = 2),
      (s) => (s.instructions[1] = 2 ** 31 - 1),
      (s) => (s.instructions[2] = 0),
      (s) => (s.instructions[3] = 1),
      (s) => (s.instructions[4] = 0),
      (s) => (s.instructions[5] = 1),
      (s) => (s.instructions[5] = 99),
      (s) => (s.instructions[6] = 0),
      (s) => (s.instructions[7] = 3),
      (s) => (s.instructions[7] = 99),
      (s) => (s.instructions[8] = 0),
      (s) => (s.instructions[9] = 3),
      (s) => s.instructions.push(...s.instructions.slice(10)),
      (s) => (s.inputs = [1]),
      (s) => (s.inputs = [0, 0]),
      (s) => (s.inputs = []),
      (s) => (s.outputs = [3]),
      (s) => (s.outputs = [-1]),
      (s) => (s.parameters = s.parameters.slice(1)),
      (s) => s.parameters.reverse(),
    ];
    wrong.forEach((edit, at) => expect(change(edit), `change ${at}`).toMatch(/^ERR_NATIVE_(PROGRAM|PARAMETER)$/));
    expect(change((s) => (s.parameters[0] = 12345))).toBe('ERR_NATIVE_HANDLE');
    expect(change((s) => (s.isa = 'mmx' as 'avx2'))).toBe('ERR_NATIVE_ARGUMENT');
    expect(change((s) => (s.slots[0] = 0.5))).toBe('ERR_NATIVE_ARGUMENT');
    expect(change((s) => (s.slots = undefined as unknown as number[]))).toBe('ERR_NATIVE_ARGUMENT');
  });

  it('rejects malformed plans', () => {
    smallModel(program);
    const stage = addon.stageCreate(program.source(isa));
    const good = { stages: [stage], wiring: [1, 1, 0, 1], inputs: [0], outputs: [1], maxInputBytes: 100 };
    const code = (edit: object) => codeOf(() => addon.planRelease(addon.planCreate({ ...good, ...edit })));
    expect(code({})).toBeUndefined();
    const wrong = [
      ...[
        { wiring: [1, 1, 0] },
        { wiring: [1, 1, 0, 1, 0] },
        { wiring: [1, 1, 1, 0] },
        { wiring: [1, 1, 0, 2] },
        { wiring: [2, 1, 0, 0, 1] },
      ],
      ...[
        { inputs: [1] },
        { inputs: [0, 0] },
        { inputs: [] },
        { outputs: [2] },
        { wiring: [1, 1, 0, 0] },
        { stages: [] },
      ],
      ...[
        { stages: [stage, stage], wiring: [1, 1, 0, 1, 1, 1, 1, 2] },
        { stages: [stage, stage], wiring: [1, 1, 0, 1, 1, 1, 0, 1] },
      ],
    ];
    wrong.forEach((edit, at) => expect(code(edit), `change ${at}`).toBe('ERR_NATIVE_PROGRAM'));
    expect(code({ maxInputBytes: -1 })).toBe('ERR_NATIVE_ARGUMENT');
    expect(code({ maxInputBytes: 2 ** 40 })).toBe('ERR_NATIVE_ARGUMENT');
    addon.stageRelease(stage);
  });

  it('rejects parameters of other kernels', () => {
    const tree = (edit: (parameters: NodeJS.TypedArray[]) => unknown): string | undefined => {
      const one = new Program();
      const ints = (...values: number[]) => Int32Array.from(values);
      const parameters = [
        ints(1, 0, 0),
        new Float32Array(3),
        ints(0, 6, 6),
        ints(1, 0, 0),
        ints(2, 0, 0),
        ints(0, 0, 0),
        ints(0),
        ints(0, 0, 1, 2),
        ints(0, 0),
        Float32Array.of(1, 2),
        new Float32Array(1),
      ];
      edit(parameters);
      one.output(one.call('tree_ensemble', [one.input('dense', 2)], ['dense', 1], parameters));
      const code = codeOf(() => addon.stageRelease(addon.stageCreate(one.source(isa))));
      one.free();
      return code;
    };
    expect(tree(() => 0)).toBeUndefined();
    const set = (array: number, at: number, value: number) => (parameters: NodeJS.TypedArray[]) =>
      ((parameters[array] as Int32Array)[at] = value);
    const wrong = [
      set(0, 0, 2),
      set(0, 0, -1),
      set(2, 0, 7),
      set(2, 1, -1),
      set(3, 0, 0),
      set(3, 0, 3),
      set(4, 0, -5),
      set(6, 0, 3),
      set(6, 0, -1),
    ];
    wrong.push(set(7, 0, -1), set(7, 1, 2), set(7, 3, 3), set(8, 0, 1), set(8, 1, -1));
    for (const edit of wrong) expect(tree(edit)).toBe('ERR_NATIVE_PARAMETER');
    for (const array of [0, 1, 2, 3, 4, 5, 7, 8, 9, 10])
      expect(
        tree((all) => (all[array] = all[array]!.slice(1))),
        `${array}`,
      ).toBe('ERR_NATIVE_PARAMETER');

    const select = (kernel: string, kind: 'sparse' | 'dense', size: number, index: number[]): string | undefined => {
      const one = new Program();
      one.output(one.call(kernel, [one.input(kind, 3)], [kind, size], [Int32Array.from(index)]));
      const code = codeOf(() => addon.stageRelease(addon.stageCreate(one.source(isa))));
      one.free();
      return code;
    };
    expect(select('select_columns', 'dense', 2, [0, 2])).toBeUndefined();
    expect(select('select_columns', 'dense', 2, [0, 3])).toBe('ERR_NATIVE_PARAMETER');
    expect(select('select_columns', 'dense', 2, [-1, 0])).toBe('ERR_NATIVE_PARAMETER');
    expect(select('select_columns', 'dense', 2, [0])).toBe('ERR_NATIVE_PARAMETER');
    expect(select('select_sparse', 'sparse', 2, [0, -1, 1])).toBeUndefined();
    expect(select('select_sparse', 'sparse', 2, [0, 2, 1])).toBe('ERR_NATIVE_PARAMETER');
    expect(select('select_sparse', 'sparse', 2, [0, 0, 1])).toBe('ERR_NATIVE_PARAMETER');
  });

  it('survives random programs', () => {
    smallModel(program);
    for (let round = 0; round < 5000; round++) {
      const source = valid();
      for (let edits = 1 + random.below(3); edits > 0; edits--) {
        const list = random.pick([
          source.slots,
          source.instructions,
          source.instructions,
          source.inputs,
          source.outputs,
        ]);
        list[random.below(list.length)] =
          random.next() < 0.8 ? random.below(22) : random.pick([-1, 2 ** 31 - 1, -(2 ** 31)]);
      }
      const code = codeOf(() => {
        const stage = addon.stageCreate(source);
        const plan = addon.planCreate({
          stages: [stage],
          wiring: [1, 1, 0, 1],
          inputs: [0],
          outputs: [1],
          maxInputBytes: 100,
        });
        addon.stageRelease(stage);
        addon.predictText(plan, 'not good é', new Float64Array(100));
        addon.planRelease(plan);
      });
      if (code !== undefined) expect(code).toMatch(/^ERR_NATIVE_/);
    }
  });

  const flipped = (blob: Uint8Array): Uint8Array => {
    const bytes = blob.slice();
    for (let flips = 1 + random.below(4); flips > 0; flips--) {
      const at = random.next() < 0.5 ? random.below(100) : random.below(bytes.length);
      bytes[at] =
        random.next() < 0.5 ? bytes[at]! ^ (1 << random.below(8)) : random.pick([0, 1, 255, random.below(256)]);
    }
    return random.next() < 0.05 ? bytes.slice(0, random.below(bytes.length)) : bytes;
  };

  it.each([
    ['words', runs, dictionary, 7],
    ['characters', charactersProgram, triples, 5],
  ] as const)('survives flipped bytes: %s', (_, program_, dictionary_, columns) => {
    let accepted = 0;
    for (let round = 0; round < 1500; round++) {
      const one = new Program();
      const [first, second] = random.next() < 0.3 ? [flipped(program_), dictionary_] : [program_, flipped(dictionary_)];
      const stop = random.next() < 0.2 ? [random.next() < 0.5 ? dictionary : flipped(dictionary)] : [];
      one.output(one.call('text_ngram', [one.input('text')], ['sparse', columns], [first, second, ...stop], [0]));
      const code = codeOf(() => {
        const plan = one.plan(random.pick(isas));
        accepted++;
        for (const text of [
          'not good',
          'xyz1 goood bad',
          'é\u{10ffff} \ufffd a-word-of-more-than-fifteen-bytes',
          '\0'.repeat(300),
        ]) {
          addon.predictText(plan, text, new Float64Array(columns));
        }
      });
      if (code !== undefined) expect(code).toMatch(/^ERR_NATIVE_(PARAMETER|PROGRAM)$/);
      one.free();
    }
    expect(accepted).toBeGreaterThan(0);
  });
});
