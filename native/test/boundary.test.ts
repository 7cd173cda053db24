import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';
import { afterEach, describe, expect, it } from 'vitest';
import { Checksum } from '../../packages/object-store/src/checksum.js';
import { characterDictionary, Random, textProgram, wordDictionary } from './blobs.js';
import { addon, codeOf, isas, Program } from './harness.js';

const SEED = Number(process.env.BREZEL_SEED ?? Math.floor(Math.random() * 2 ** 31));
console.log(`boundary.test.ts: BREZEL_SEED=${SEED}`);
const random = new Random(SEED);
// The sanitizers' own memory is in the way of tests that count memory.
const isSanitized = process.env.LD_PRELOAD?.includes('asan') ?? false;
const loader = createRequire(import.meta.url).resolve('../index.cjs');

let program = new Program();
afterEach(() => {
  program.free();
  program = new Program();
});

const rules = {
  mode: 'runs',
  minimumRun: 1,
  fold: (code: number) => code,
  isInClass: (code: number) => code > 32 || code === 0,
} as const;
const runs = textProgram(rules);
const charactersProgram = textProgram({ ...rules, mode: 'characters' });
const vocabulary = ['good', 'bad', 'not', 'a\0b', '\ufffd', 'a-word-of-more-than-fifteen-bytes'];
const grams = [...vocabulary.map((word) => [word]), ['not', 'good']].map((symbols, at) => ({ symbols, column: at }));
const dictionary = wordDictionary({ grams, columns: 7, minN: 1, maxN: 2, seed: 7, load: 0.9 });
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

/** text -> counts -> linear: the smallest whole model. */
function model(): Program {
  const counts = program.call('text_ngram', [program.input('text')], ['sparse', 7], [runs, dictionary], [0]);
  program.output(
    program.call(
      'linear',
      [counts],
      ['dense', 1],
      [Float32Array.of(1, 10, 100, 1e3, 1e4, 1e5, 1e6), Float32Array.of(0.5)],
    ),
  );
  return program;
}
const isa = isas.at(-1)!;

describe('text', () => {
  const score = (text: string | Uint8Array) => {
    const out = new Float64Array(1);
    addon.predictText(program.plan(isa), text, out);
    return out[0];
  };

  it('reads every kind of string', () => {
    model();
    expect(score('')).toBe(0.5);
    expect(score('good bad')).toBe(11.5);
    expect(score('not good')).toBe(1000101.5);
    expect(score('a\0b')).toBe(1000.5);
    expect(score('\ud800')).toBe(10000.5);
    expect(score('\udc00 good \ud83d')).toBe(20001.5);
    expect(score('\ufffd')).toBe(10000.5);
    expect(score(`${'x '.repeat(5000)}a-word-of-more-than-fifteen-bytes`)).toBe(100000.5);
    expect(score(new Uint8Array(new SharedArrayBuffer(8)))).toBe(0.5);
    expect(score(Buffer.from('good'))).toBe(1.5);
  });

  it('refuses what is not text', () => {
    const plan = model().plan(isa, 8);
    const out = new Float64Array(1);
    const code = (text: unknown) => codeOf(() => addon.predictText(plan, text as string, out));
    expect(code('12345678')).toBeUndefined();
    expect(code('123456789')).toBe('ERR_NATIVE_INPUT');
    expect(code('ééééé')).toBe('ERR_NATIVE_INPUT');
    expect(code('x'.repeat(1 << 20))).toBe('ERR_NATIVE_INPUT');
    expect(code(new Uint8Array(9))).toBe('ERR_NATIVE_INPUT');
    for (const bytes of [
      [0xff],
      [0xc0, 0x80],
      [0xed, 0xa0, 0x80],
      [0xf4, 0x90, 0x80, 0x80],
      [0xe2, 0x82],
      [0x80],
      [0xf0, 0x80, 0x80, 0x80],
    ]) {
      expect(code(Uint8Array.from(bytes))).toBe('ERR_NATIVE_INPUT');
    }
    for (const value of [undefined, null, 5, {}, [], new Float64Array(1), Symbol('a'), 5n])
      expect(code(value)).toBe('ERR_NATIVE_INPUT');
    expect(code('good')).toBeUndefined();
  });

  it('accepts exactly what TextDecoder accepts', () => {
    const plan = model().plan(isa);
    const out = new Float64Array(1);
    const decoder = new TextDecoder('utf-8', { fatal: true });
    for (let round = 0; round < 3000; round++) {
      const bytes = Buffer.from(
        ['aé', '中x', '\u{10ffff}', 'ascii text of more than eight', '\u0800\ud7ff\ue000'][random.below(5)]!.repeat(2),
      );
      for (let flips = random.below(3); flips > 0; flips--) bytes[random.below(bytes.length)] = random.below(256);
      const isValid = codeOf(() => decoder.decode(bytes)) === undefined;
      expect(
        codeOf(() => addon.predictText(plan, bytes, out)),
        `${[...bytes]}`,
      ).toBe(isValid ? undefined : 'ERR_NATIVE_INPUT');
    }
  });

  it('allocates nothing once warm', () => {
    const plan = model().plan(isa);
    const out = new Float64Array(1);
    addon.predictText(plan, 'not good é '.repeat(200), out);
    const { grows } = addon.contextStats();
    for (let round = 0; round < 1000; round++) addon.predictText(plan, 'not good é '.repeat(round % 200), out);
    expect(addon.contextStats().grows).toBe(grows);
  });
});

describe('scratch', () => {
  it('can be given back, and comes again: answers stay the same', () => {
    const plan = model().plan(isa);
    const [before, after] = [new Float64Array(1), new Float64Array(1)];
    addon.predictText(plan, 'not good é '.repeat(200), before);
    expect(addon.contextStats().scratchBytes).toBeGreaterThan(0);
    addon.contextRelease();
    addon.contextRelease();
    const { grows, scratchBytes } = addon.contextStats();
    expect(scratchBytes).toBe(0);
    addon.predictText(plan, 'not good é '.repeat(200), after);
    expect(after).toEqual(before);
    expect(addon.contextStats().grows).toBeGreaterThan(grows);
  });

  it('cannot be given back while a prediction reads its arguments', () => {
    const plan = model().plan(isa);
    const texts = Object.defineProperty(['good'], 0, { get: () => String(addon.contextRelease()) });
    expect(codeOf(() => addon.predictRows(plan, [texts], 1, new Float64Array(1)))).toBe('ERR_NATIVE_ARGUMENT');
    addon.predictRows(plan, [['good']], 1, new Float64Array(1));
  });
});

describe('arguments', () => {
  it('rows: none, many, wrong', () => {
    model();
    const plan = program.plan(isa);
    const out = new Float64Array(1000);
    addon.predictRows(plan, [[]], 0, new Float64Array(0));
    const texts = Array.from({ length: 1000 }, (_, at) => ['good', 'bad', '', 'not good'][at % 4]!);
    addon.predictRows(plan, [texts], 1000, out);
    expect([...out]).toEqual(texts.map((text) => ({ good: 1.5, bad: 10.5, '': 0.5, 'not good': 1000101.5 })[text]));
    const code = (columns: unknown, rows: unknown, into: unknown) =>
      codeOf(() => addon.predictRows(plan, columns as string[][], rows as number, into as Float64Array));
    expect(code([texts], -1, out)).toBe('ERR_NATIVE_ARGUMENT');
    expect(code([texts], 1.5, out)).toBe('ERR_NATIVE_ARGUMENT');
    expect(code([texts], Number.NaN, out)).toBe('ERR_NATIVE_ARGUMENT');
    expect(code([texts], 1001, out)).toBe('ERR_NATIVE_ARGUMENT');
    expect(code([texts], 10, new Float32Array(10))).toBe('ERR_NATIVE_ARGUMENT');
    expect(code([texts], 10, [])).toBe('ERR_NATIVE_ARGUMENT');
    expect(code([], 10, out)).toBe('ERR_NATIVE_ARGUMENT');
    expect(code(undefined, 10, out)).toBe('ERR_NATIVE_ARGUMENT');
    expect(code([['good']], 2, out)).toBe('ERR_NATIVE_INPUT');
  });

  it('dense columns', () => {
    program.output(program.call('map', [program.input('dense', 3)], ['dense', 3], [], [5]));
    const plan = program.plan(isa);
    const code = (column: unknown, rows: number) =>
      codeOf(() => addon.predictRows(plan, [column as Float64Array], rows, new Float64Array(6)));
    expect(code(new Float64Array(6), 2)).toBeUndefined();
    expect(code(new Float64Array(5), 2)).toBe('ERR_NATIVE_ARGUMENT');
    expect(code(new Float64Array(7), 2)).toBe('ERR_NATIVE_ARGUMENT');
    expect(code(new Float32Array(6), 2)).toBe('ERR_NATIVE_ARGUMENT');
    expect(code(['a', 'b'], 2)).toBe('ERR_NATIVE_ARGUMENT');
    expect(codeOf(() => addon.predictText(plan, 'a', new Float64Array(3)))).toBe('ERR_NATIVE_ARGUMENT');
  });

  it('stale handles', () => {
    model();
    const out = new Float64Array(1);
    const stage = addon.stageCreate(program.source(isa));
    const plan = addon.planCreate({
      stages: [stage],
      wiring: [1, 1, 0, 1],
      inputs: [0],
      outputs: [1],
      maxInputBytes: 100,
    });
    const parameter = addon.parameterPut('test/stale', new Uint8Array(3));
    for (const wrong of [0, 1, -1, 1.5, Number.NaN, 2 ** 53, 1e300, stage, parameter, plan + 1]) {
      expect(codeOf(() => addon.predictText(wrong, 'a', out))).toBe('ERR_NATIVE_HANDLE');
      expect(codeOf(() => addon.planRelease(wrong))).toBe('ERR_NATIVE_HANDLE');
    }
    addon.planRelease(plan);
    addon.stageRelease(stage);
    addon.parameterRelease(parameter);
    expect(codeOf(() => addon.predictText(plan, 'a', out))).toBe('ERR_NATIVE_HANDLE');
    expect(codeOf(() => addon.stageRelease(stage))).toBe('ERR_NATIVE_HANDLE');
    expect(codeOf(() => addon.parameterRelease(parameter))).toBe('ERR_NATIVE_HANDLE');
    expect(codeOf(() => addon.parameterRetain(parameter))).toBe('ERR_NATIVE_HANDLE');
    expect(codeOf(() => addon.parameterCopy(parameter))).toBe('ERR_NATIVE_HANDLE');
    expect(
      codeOf(() =>
        addon.planCreate({ stages: [stage], wiring: [1, 1, 0, 1], inputs: [0], outputs: [1], maxInputBytes: 1 }),
      ),
    ).toBe('ERR_NATIVE_HANDLE');
    const next = addon.parameterPut('test/stale', new Uint8Array(3));
    expect(next).not.toBe(parameter);
    addon.parameterRelease(next);
    for (const call of Object.values(addon))
      if (typeof call === 'function') codeOf(() => (call as (...all: unknown[]) => void)());
  });

  it('getters that call back, release and detach', () => {
    model();
    const plan = program.plan(isa);
    let out = new Float64Array(4);
    const hostile = (run: () => unknown) =>
      codeOf(() =>
        addon.predictRows(
          plan,
          [Object.defineProperty(['good', 'bad', 'x', 'y'], 2, { get: () => run() }) as string[]],
          4,
          out,
        ),
      );
    expect(hostile(() => addon.predictText(plan, 'a', out))).toBe('ERR_NATIVE_ARGUMENT');
    expect(
      hostile(() => {
        throw Object.assign(new Error('mine'), { code: 'MINE' });
      }),
    ).toBe('MINE');
    expect(hostile(() => structuredClone(out, { transfer: [out.buffer] }) && 'good')).toBe('ERR_NATIVE_ARGUMENT');
    out = new Float64Array(4);
    const releasing = () => {
      program.free();
      return 'good';
    };
    expect(hostile(releasing)).toBeUndefined();
    expect([...out]).toEqual([1.5, 10.5, 1.5, 0.5]);
    expect(codeOf(() => addon.predictText(plan, 'a', out))).toBe('ERR_NATIVE_HANDLE');
  });
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

  it('refuses malformed ones', () => {
    model();
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
      (s) => (s.instructions[9] = 2),
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

  it('refuses malformed plans', () => {
    model();
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

  it('checks parameters of other kernels', () => {
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
    model();
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

describe('parameters', () => {
  it('have the checksum that the object store computes', async () => {
    const checksum = await Checksum.create();
    for (const length of [0, 1, 3, 4, 7, 8, 31, 32, 33, 63, 64, 65, 1000, 16_383, 16_384, 16_385, 100_000]) {
      const bytes = Uint8Array.from({ length }, (_, at) => (at * 167 + length) % 251);
      expect(addon.parameterChecksum(bytes)).toBe(checksum.of(bytes));
      if (length > 4) expect(addon.parameterChecksum(bytes.subarray(3))).toBe(checksum.of(bytes.subarray(3)));
    }
    expect(addon.parameterChecksum(Float64Array.of(1, 2))).toBe(
      checksum.of(new Uint8Array(Float64Array.of(1, 2).buffer)),
    );
    expect(codeOf(() => addon.parameterChecksum('text' as never))).toBe('ERR_NATIVE_ARGUMENT');
  });

  it('are stored once and given back to the system', () => {
    const before = addon.parameterStats();
    const bytes = new Uint8Array(64 << 20).fill(7);
    const first = addon.parameterPut('test/large', bytes);
    const second = addon.parameterPut('test/large', bytes);
    expect(second).toBe(first);
    expect(addon.parameterStats()).toEqual({ objects: before.objects + 1, bytes: before.bytes + bytes.length });
    expect(codeOf(() => addon.parameterPut('test/large', bytes.slice(1)))).toBe('ERR_NATIVE_PARAMETER');
    expect(codeOf(() => addon.parameterPut('test/large', new Uint8Array(64 << 20)))).toBe('ERR_NATIVE_PARAMETER');
    expect(addon.parameterCopy(first).subarray(0, 3)).toEqual(Uint8Array.of(7, 7, 7));
    addon.parameterRelease(first);
    expect(addon.parameterStats().objects).toBe(before.objects + 1);
    const resident = process.memoryUsage.rss();
    addon.parameterRelease(second);
    expect(addon.parameterStats()).toEqual(before);
    if (!isSanitized) expect(resident - process.memoryUsage.rss()).toBeGreaterThan(60 << 20);
    const empty = addon.parameterPut('test/empty', new Float32Array(0));
    expect(addon.parameterCopy(empty).length).toBe(0);
    addon.parameterRelease(empty);
  });

  it('are made of ranges of others', () => {
    const before = addon.parameterStats();
    const bytes = Uint8Array.from({ length: 1000 }, (_, at) => at % 251);
    const whole = addon.parameterPut('test/whole', bytes);
    for (const [from, length] of [
      [0, 1000],
      [1, 999],
      [300, 64],
      [1000, 0],
    ] as const) {
      const part = addon.parameterPutRange(whole, from, length, `test/part ${from}`);
      expect([...addon.parameterCopy(part)]).toEqual([...bytes.subarray(from, from + length)]);
      expect(addon.parameterRangeChecksum(whole, from, length)).toBe(
        addon.parameterChecksum(bytes.subarray(from, from + length)),
      );
      expect(addon.parameterPut(`test/part ${from}`, bytes.subarray(from, from + length))).toBe(part);
      addon.parameterRelease(part);
      addon.parameterRelease(part);
    }
    for (const [from, length] of [
      [0, 1001],
      [1000, 1],
      [-1, 2],
      [0.5, 1],
      [Number.NaN, 1],
    ] as const) {
      expect(codeOf(() => addon.parameterRangeChecksum(whole, from, length))).toBe('ERR_NATIVE_ARGUMENT');
      expect(codeOf(() => addon.parameterPutRange(whole, from, length, 'test/none'))).toBe('ERR_NATIVE_ARGUMENT');
    }
    expect(codeOf(() => addon.parameterPutRange(whole, 0, 1, ''))).toBe('ERR_NATIVE_ARGUMENT');
    const other = addon.parameterPut('test/other', bytes.subarray(1));
    expect(codeOf(() => addon.parameterPutRange(whole, 0, 999, 'test/other'))).toBe('ERR_NATIVE_PARAMETER');
    addon.parameterRelease(other);
    addon.parameterRelease(whole);
    expect(codeOf(() => addon.parameterRangeChecksum(whole, 0, 1))).toBe('ERR_NATIVE_HANDLE');
    expect(addon.parameterStats()).toEqual(before);
  });

  it('lie in the whole where a range is long, and keep it', () => {
    const before = addon.parameterStats();
    const bytes = new Uint8Array(64 << 20).fill(7);
    bytes.set([1, 2, 3], 4);
    const whole = addon.parameterPut('test/long whole', bytes);
    const resident = process.memoryUsage.rss();
    const part = addon.parameterPutRange(whole, 4, 60 << 20, 'test/long part');
    const inner = addon.parameterPutRange(part, 0, 30 << 20, 'test/part of a part');
    if (!isSanitized) expect(process.memoryUsage.rss() - resident).toBeLessThan(20 << 20);
    addon.parameterRelease(whole);
    addon.parameterRelease(part);
    expect(addon.parameterStats()).toEqual({ objects: before.objects + 1, bytes: before.bytes + (30 << 20) });
    const copy = addon.parameterCopy(inner);
    expect([copy.length, ...copy.subarray(0, 4), copy.at(-1)]).toEqual([30 << 20, 1, 2, 3, 7, 7]);
    const held = process.memoryUsage.rss();
    addon.parameterRelease(inner);
    if (!isSanitized) expect(held - process.memoryUsage.rss()).toBeGreaterThan(60 << 20);
    expect(addon.parameterStats()).toEqual(before);
  });

  it('stay as long as a stage needs them', () => {
    const before = addon.parameterStats();
    const plan = model().plan(isa);
    for (const handle of program.parameters) {
      addon.parameterRetain(handle);
      addon.parameterRelease(handle);
    }
    const out = new Float64Array(1);
    const copies = [...program.parameters];
    for (const handle of copies) addon.parameterRelease(handle); // the plan's own references remain
    addon.predictText(plan, 'good', out);
    expect(out[0]).toBe(1.5);
    addon.planRelease(plan);
    expect(addon.parameterStats()).toEqual(before);
    program = new Program(); // all is released already
  });
});

describe('threads', () => {
  const texts = ['good', 'not good', '', 'é bad', 'good '.repeat(500)];

  it('eight workers at once share parameters and leave nothing behind', async () => {
    model();
    const before = addon.parameterStats();
    const expected = texts.map((text) => {
      const out = new Float64Array(1);
      addon.predictText(program.plan(isa), text, out);
      return out[0]!;
    });
    const held = addon.parameterPut('test/from-main', new Uint8Array(10));
    const parameters = [
      runs,
      dictionary,
      new Uint8Array(Float32Array.of(1, 10, 100, 1e3, 1e4, 1e5, 1e6).buffer),
      new Uint8Array(Float32Array.of(0.5).buffer),
    ].map((bytes, at) => ({ id: `test/worker/${at}`, bytes }));
    const { slots, instructions, inputs, outputs } = program;
    const source = { slots, instructions, inputs, outputs };
    const start = (at: number) =>
      new Promise<{ sums: number[] }>((resolve, reject) => {
        const workerData = { isa: isas[at % isas.length], parameters, source, texts, rounds: 500, handle: held };
        const worker = new Worker(new URL('./worker.mjs', import.meta.url), { workerData });
        let result: { sums: number[] };
        worker.on('message', (message) => {
          result = message;
        });
        worker.on('error', reject);
        worker.on('exit', () => resolve(result));
      });
    for (let round = 0; round < 3; round++) {
      const results = await Promise.all(Array.from({ length: 8 }, (_, at) => start(at)));
      for (const { sums } of results) expect(sums).toEqual(expected);
    }
    addon.parameterRelease(held);
    expect(addon.parameterStats()).toEqual(before);
  }, 60_000);

  it('a worker may be terminated in the middle', async () => {
    const before = addon.parameterStats();
    const code = `const { addon } = require(${JSON.stringify(loader)}); const { parentPort } = require('node:worker_threads');
      addon.parameterPut('test/terminated', new Uint8Array(1000)); parentPort.postMessage(0); for (;;) addon.isas();`;
    const workers = Array.from({ length: 4 }, () => new Worker(code, { eval: true }));
    await Promise.all(workers.map((worker) => new Promise((resolve) => worker.once('message', resolve))));
    expect(addon.parameterStats().objects).toBe(before.objects + 1);
    await Promise.all(workers.map((worker) => worker.terminate()));
    expect(addon.parameterStats()).toEqual(before);
  });

  const run = (code: string, env: NodeJS.ProcessEnv = {}) =>
    spawnSync(process.execPath, ['-e', code], { encoding: 'utf8', timeout: 20_000, env: { ...process.env, ...env } });

  it('a process exits by itself, with everything still held', () => {
    const result =
      run(`const { addon } = require(${JSON.stringify(loader)}); addon.parameterPut('a', new Uint8Array(1e6));
      const { Worker } = require('node:worker_threads');
      new Worker('require(' + ${JSON.stringify(JSON.stringify(loader))} + ').addon.parameterPut("a", new Uint8Array(1e6))', { eval: true });`);
    expect([result.status, result.signal, result.stderr]).toEqual([0, null, '']);
  });

  it('only a worker loads the addon', () => {
    const result = run(`const { Worker } = require('node:worker_threads'); let left = 5;
      const next = () => left-- && new Worker('require(' + ${JSON.stringify(JSON.stringify(loader))} + ').addon.parameterPut("a", new Uint8Array(1e6))', { eval: true }).on('exit', next);
      next();`);
    expect([result.status, result.signal, result.stderr]).toEqual([0, null, '']);
  });

  it('the loader explains an absent addon', () => {
    const result = run(
      `const { addon, error } = require(${JSON.stringify(loader)}); console.log(addon, error.code, error.message)`,
      { BREZEL_NATIVE: 'off' },
    );
    expect(result.stdout).toContain('undefined ERR_NATIVE_LOAD');
    expect(result.stdout).toContain('BREZEL_NATIVE=off');
  });

  it.skipIf(isSanitized)(
    'out of memory is an error, and the thread goes on',
    () => {
      // Scratch for a long text does not fit; a short one still does.
      const result = spawnSync(
        'bash',
        ['-c', 'ulimit -v 2200000; exec "$0" -e "$1"', process.execPath, outOfMemory()],
        { encoding: 'utf8', timeout: 60_000 },
      );
      if (/ulimit|Fatal|allocation failed/.test(result.stderr)) return; // Node itself does not start so small here
      expect(result.stdout).toBe('ERR_NATIVE_MEMORY 1.5\n');
    },
    60_000,
  );
});

/** A script whose prediction needs gigabytes of scratch. */
function outOfMemory(): string {
  model();
  const { slots, instructions, inputs, outputs } = program;
  const parameters = program.parameters.map((handle) => Buffer.from(addon.parameterCopy(handle)).toString('base64'));
  return `const { addon } = require(${JSON.stringify(loader)});
    const parameters = ${JSON.stringify(parameters)}.map((text, at) => addon.parameterPut('p' + at, new Uint8Array(Buffer.from(text, 'base64'))));
    const stage = addon.stageCreate({ isa: 'baseline', ...${JSON.stringify({ slots, instructions, inputs, outputs })}, parameters });
    const plan = addon.planCreate({ stages: [stage], wiring: [1, 1, 0, 1], inputs: [0], outputs: [1], maxInputBytes: 2 ** 28 });
    const out = new Float64Array(1);
    let code;
    try { addon.predictText(plan, 'a '.repeat(2 ** 25), out); } catch (error) { code = error.code; }
    addon.predictText(plan, 'good', out);
    console.log(code, out[0]);`;
}
