import { afterEach, describe, expect, it } from 'vitest';
import { seed as SEED } from '../../testing/seed.js';
import { Random } from './blobs.js';
import { addon, codeOf, isas, Program } from './harness.js';
import { smallModel } from './small-model.js';

const random = new Random(SEED);
const isa = isas.at(-1)!;

let program = new Program();
afterEach(() => {
  program.free();
  program = new Program();
});

describe('text', () => {
  const score = (text: string | Uint8Array) => {
    const out = new Float64Array(1);
    addon.predictText(program.plan(isa), text, out);
    return out[0];
  };

  it('reads every kind of string', () => {
    smallModel(program);
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

  it('rejects values that are not text', () => {
    const plan = smallModel(program).plan(isa, 8);
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
    const plan = smallModel(program).plan(isa);
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

  it('allocates no memory after the first calls', () => {
    const plan = smallModel(program).plan(isa);
    const out = new Float64Array(1);
    addon.predictText(plan, 'not good é '.repeat(200), out);
    const { grows } = addon.contextStats();
    for (let round = 0; round < 1000; round++) addon.predictText(plan, 'not good é '.repeat(round % 200), out);
    expect(addon.contextStats().grows).toBe(grows);
  });
});

describe('scratch', () => {
  it('can be freed and is allocated again, and answers do not change', () => {
    const plan = smallModel(program).plan(isa);
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

  it('cannot be freed while a prediction reads its arguments', () => {
    const plan = smallModel(program).plan(isa);
    const texts = Object.defineProperty(['good'], 0, { get: () => String(addon.contextRelease()) });
    expect(codeOf(() => addon.predictRows(plan, [texts], 1, new Float64Array(1)))).toBe('ERR_NATIVE_ARGUMENT');
    addon.predictRows(plan, [['good']], 1, new Float64Array(1));
  });
});

describe('arguments', () => {
  it('accepts 0 and 1000 rows, and rejects other numbers of rows and other types', () => {
    smallModel(program);
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

  it('pinned numbers', () => {
    program.output(program.call('map', [program.input('dense', 3)], ['dense', 3], [], [5]));
    const plan = program.plan(isa);
    expect(addon.planNumbers(plan)).toEqual([3]);
    const [input, output] = [new Float64Array(4), new Float64Array(4).fill(7)];
    const pair = addon.numbersPin(input, output);
    const wanted = new Float64Array(3);
    for (const row of [
      [1, -0, Number.NaN],
      [0.1, -2, 1e300],
    ]) {
      input.set(row);
      addon.predictNumbers(plan, pair);
      addon.predictRows(plan, [Float64Array.from(row)], 1, wanted);
      expect([...output]).toEqual([...wanted, 7]);
    }
    const pin = (one: unknown, other: unknown, earlier?: unknown) =>
      codeOf(() => addon.numbersPin(one as Float64Array, other as Float64Array, earlier as Float64Array));
    for (const wrong of [undefined, [], new Float32Array(4), new Float64Array(0)]) {
      expect(pin(wrong, output)).toBe('ERR_NATIVE_ARGUMENT');
      expect(pin(input, wrong)).toBe('ERR_NATIVE_ARGUMENT');
    }
    // A caller that knows only the number of a pair cannot replace its arrays.
    for (const wrong of [pair, -1, '0', {}, output, Float64Array.from(input), input.subarray(0)])
      expect(pin(input, output, wrong)).toBe('ERR_NATIVE_ARGUMENT');
    const predict = (place: unknown) => codeOf(() => addon.predictNumbers(plan, place as number));
    for (const wrong of [-1, pair + 1, pair + 0.5, Number.NaN, undefined])
      expect(predict(wrong)).toBe('ERR_NATIVE_ARGUMENT');
    expect(codeOf(() => addon.predictNumbers(-1, pair))).toBe('ERR_NATIVE_HANDLE');
    // Pairs that are too short are rejected, and a replaced pair is not used again.
    const short = new Float64Array(2);
    expect(addon.numbersPin(short, output, input)).toBe(pair);
    expect(predict(pair)).toBe('ERR_NATIVE_ARGUMENT');
    expect(pin(input, output, input)).toBe('ERR_NATIVE_ARGUMENT');
    expect(addon.numbersPin(input, short, short)).toBe(pair);
    expect(predict(pair)).toBe('ERR_NATIVE_ARGUMENT');
    expect(addon.numbersPin(input, output, input)).toBe(pair);
    expect(predict(pair)).toBeUndefined();
  });

  it('pinned numbers of a plan with texts', () => {
    smallModel(program);
    const plan = program.plan(isa);
    expect(addon.planNumbers(plan)).toBeUndefined();
    const pair = addon.numbersPin(new Float64Array(8), new Float64Array(8));
    expect(codeOf(() => addon.predictNumbers(plan, pair))).toBe('ERR_NATIVE_ARGUMENT');
  });

  it('stale handles', () => {
    smallModel(program);
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

  it('survive getters that call the addon, release handles and detach arrays', () => {
    smallModel(program);
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
