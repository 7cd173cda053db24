import {
  type Answer,
  BrezelError,
  createFlour,
  createRuntime,
  type FlourContext,
  loadNative,
  type RegisteredPlan,
  type Row,
  type Runtime,
} from 'brezel';
import { afterAll, describe, expect, test } from 'vitest';
import type { UntypedPlan } from '../../../../testing/untyped.js';
import { difference } from '../conformance/engines.js';
import { settled } from './survive.js';

const MIB = 2 ** 20;
const MAX_INPUT_BYTES = 2 * MIB;

const flour: FlourContext = await createFlour();
const vocabulary = [['good'], ['\ufffd'], ['\0'], ['x'.repeat(70)], ['good', 'good']];
const letters = ['g', 'o', '\ufffd', '\0', '😀'].map((one) => [one]);
const reviews = flour.columns({ text: 'string' }).select('text').stringNormalize();
const textPlan = flour
  .program({
    y: reviews
      .tokenize({ by: { pattern: '[^ ]+' } })
      .wordNgram({ vocabulary })
      .concat(reviews.charNgram({ vocabulary: letters }))
      .linear({ weights: Array.from({ length: 10 }, (_, at) => 2 ** at), bias: 0.5 }),
  })
  .plan();
const columns = flour.columns({ a: 'float32', i: 'int64', j: 'int32', b: 'bool', s: 'string' });
const vector = flour.input('v', { kind: 'vector', dtype: 'float32', size: 3 });
const manyPlan = flour
  .program({
    a: columns.select('a').map('abs'),
    i: columns.select('i').cast('float32'),
    j: columns.select('j').cast('float32'),
    b: columns.select('b').cast('float32'),
    s: columns.select('s').charNgram({ vocabulary: letters }),
    v: vector.argMax(),
  })
  .plan();
const textVectorPlan = flour
  .program({
    y: (
      flour.input('t', { kind: 'vector', dtype: 'string', size: 1 }) as never as ReturnType<typeof reviews.charNgram>
    ).asScalar(),
  })
  .plan();

interface Engine {
  readonly name: string;
  readonly runtime: Runtime;
  readonly text: RegisteredPlan;
  readonly many: RegisteredPlan;
}

const engine = (name: string, runtime: Runtime): Engine => ({
  name,
  runtime,
  text: runtime.register(textPlan, { maxInputBytes: MAX_INPUT_BYTES }),
  many: runtime.register(manyPlan),
});
const native = loadNative().addon === undefined ? [] : [engine('native', createRuntime({ store: flour.store }))];
const engines = [...native, engine('fallback', createRuntime({ store: flour.store, native: false }))];

afterAll(async () => {
  for (const { runtime } of engines) await runtime.close();
  for (const plan of [textPlan, manyPlan, textVectorPlan]) plan.release();
  flour.dispose();
  expect((await settled(flour.store)).objects).toBe(0);
});

/**
 * Checks that every verb rejects a row with ERR_RUNTIME_INPUT, a message and a hint. Returns the
 * error of the first verb.
 */
async function refusals({ runtime }: Engine, plan: RegisteredPlan, row: unknown): Promise<BrezelError> {
  const attempts = [
    () => runtime.predictSync(plan, row as Row),
    () => runtime.predictSync(plan, row as Row, new Float64Array(plan.width)),
    () => runtime.predict(plan, row as Row),
    () => runtime.predictBatch(plan, [row as Row]),
    () => runtime.predictBatch(plan, [row as Row], { engine: 'request-response' }),
    () => runtime.predictBatch(plan, [row as Row], { engine: 'reference' }),
  ];
  const errors: unknown[] = [];
  for (const attempt of attempts) {
    try {
      await attempt();
      errors.push(undefined);
    } catch (error) {
      errors.push(error);
    }
  }
  for (const error of errors) {
    expect(error).toBeInstanceOf(BrezelError);
    const { code, hint, message } = error as BrezelError;
    expect(code).toBe('ERR_RUNTIME_INPUT');
    expect(hint).not.toBe('');
    expect(message).not.toBe('');
  }
  return errors[0] as BrezelError;
}

const good = { a: 1, i: 2, j: 3, b: true, s: 'x', v: [1, 2, 3] };
const without = (name: keyof typeof good) => Object.fromEntries(Object.entries(good).filter(([key]) => key !== name));
class Odd {
  readonly text = 'good';
}

describe.each(engines)('$name', (one) => {
  test('runs in the engine of its name', () => {
    expect([one.text.engine, one.many.engine]).toEqual(one.name === 'native' ? ['native', 'native'] : ['wasm', 'wasm']);
  });

  test.each<[string, unknown]>([
    ['nothing', undefined],
    ['null', null],
    ['a number', 5],
    ['a list', ['good']],
    ['an empty object', {}],
    ['an extra field', { text: 'good', more: 1 }],
    ['another name', { Text: 'good' }],
    ['a null field', { text: null }],
    ['an undefined field', { text: undefined }],
    ['a number for text', { text: 5 }],
    ['a boolean for text', { text: true }],
    ['a list for text', { text: ['good'] }],
    ['an object for text', { text: { toString: () => 'good' } }],
    ['a String object', { text: new String('good') }],
    ['a symbol', { text: Symbol('good') }],
    ['a function', { text: () => 'good' }],
    ['bytes that are not bytes', { text: new Uint16Array(4) }],
    ['an ArrayBuffer', { text: new ArrayBuffer(4) }],
    ['an invalid UTF-8 byte', { text: Uint8Array.of(0x67, 0xff) }],
    ['UTF-8 cut off', { text: Uint8Array.of(0xf0, 0x9f, 0x98) }],
    ['an overlong form', { text: Uint8Array.of(0xc0, 0x80) }],
    ['an encoded surrogate', { text: Uint8Array.of(0xed, 0xa0, 0x80) }],
    ['a code point beyond the last', { text: Uint8Array.of(0xf4, 0x90, 0x80, 0x80) }],
    ['a lone continuation byte', { text: Uint8Array.of(0x80) }],
    ['too long a text', { text: 'x'.repeat(MAX_INPUT_BYTES + 1) }],
    ['too long in bytes, not in characters', { text: 'é'.repeat(MAX_INPUT_BYTES / 2 + 1) }],
    ['too many bytes', { text: new Uint8Array(MAX_INPUT_BYTES + 1).fill(0x78) }],
    ['far too long a text', { text: 'x'.repeat(64 * MIB) }],
  ])('text plan, %s: an error with code and hint', async (_, row) => {
    await refusals(one, one.text, row);
  });

  test.each<[string, unknown]>([
    ['text alone', 'good'],
    ['a null row', null],
    ...Object.keys(good).map((name): [string, unknown] => [`without ${name}`, without(name as keyof typeof good)]),
    ...Object.keys(good).map((name): [string, unknown] => [`${name} null`, { ...good, [name]: null }]),
    ...Object.keys(good).map((name): [string, unknown] => [`${name} a list of none`, { ...good, [name]: [] }]),
    ['an extra field', { ...good, more: 1 }],
    ['text for a number', { ...good, a: '1' }],
    ['a list for a number', { ...good, a: [1] }],
    ['a boolean for a number', { ...good, a: true }],
    ['a fraction for an integer', { ...good, i: 1.5 }],
    ['NaN for an integer', { ...good, i: Number.NaN }],
    ['infinity for an integer', { ...good, i: Number.POSITIVE_INFINITY }],
    ['an integer of more than 64 bits', { ...good, i: 2 ** 63 }],
    ['a bigint of more than 64 bits', { ...good, i: 2n ** 63n }],
    ['a bigint beyond 2^64', { ...good, i: 2n ** 70n }],
    ['an int32 beyond 2^31', { ...good, j: 2 ** 31 }],
    ['an int32 below -2^31', { ...good, j: -(2 ** 31) - 1 }],
    ['a boolean that is neither', { ...good, b: 2 }],
    ['a boolean below zero', { ...good, b: -1 }],
    ['a fraction for a boolean', { ...good, b: 0.5 }],
    ['256 for a boolean', { ...good, b: 256 }],
    ['NaN for a boolean', { ...good, b: Number.NaN }],
    ['a list too short', { ...good, v: [1, 2] }],
    ['a list too long', { ...good, v: [1, 2, 3, 4] }],
    ['a list in a list', { ...good, v: [[1, 2, 3]] }],
    ['an undefined in a list', { ...good, v: Array.from(good.v).fill(undefined as never, 1, 2) }],
    ['a null in a list', { ...good, v: [1, null, 3] }],
    ['text in a list', { ...good, v: [1, '2', 3] }],
    ['one number for a list', { ...good, v: 1 }],
    ['text for a list', { ...good, v: 'abc' }],
    ['an object like a list', { ...good, v: { length: 3, 0: 1, 1: 2, 2: 3 } }],
    ['a DataView', { ...good, v: new DataView(new ArrayBuffer(3)) }],
  ])('plan of many inputs, %s: an error with code and hint', async (_, row) => {
    await refusals(one, one.many, row);
  });

  test('errors name row and field', async () => {
    const error = await one.runtime
      .predictBatch(one.many, [good, good, { ...good, v: [1] }])
      .catch((error: unknown) => error as BrezelError);
    expect((error as BrezelError).message).toMatch(/row 2, input "v"/);
  });

  test('unusual forms of rows give the answers of the usual forms', () => {
    const { runtime, text, many } = one;
    expect(runtime.predictSync(text, new Odd() as never)).toEqual(runtime.predictSync(text, 'good'));
    expect(runtime.predictSync(text, { text: new TextEncoder().encode('good 😀') })).toEqual(
      runtime.predictSync(text, 'good 😀'),
    );
    expect(runtime.predictSync(text, { text: Buffer.from('xx good').subarray(3) })).toEqual(
      runtime.predictSync(text, 'good'),
    );
    expect(runtime.predictSync(many, { ...good, v: Float32Array.of(1, 2, 3), i: 2n, b: 1 })).toEqual(
      runtime.predictSync(many, good),
    );
    expect(runtime.predictSync(many, Object.assign(Object.create(null), good))).toEqual(
      runtime.predictSync(many, good),
    );
  });

  test('an out-array of a wrong size or type', () => {
    for (const out of [new Float64Array(0), new Float32Array(9), [], {}, null]) {
      expect(() => one.runtime.predictSync(one.many, good, out as never)).toThrow(
        expect.objectContaining({ code: 'ERR_RUNTIME_OUTPUT' }),
      );
    }
    const wide = new Float64Array(one.text.width + 3).fill(7);
    one.runtime.predictSync(one.text, 'good', wide);
    expect([...wide.slice(one.text.width)]).toEqual([7, 7, 7]);
  });

  test('no rows', async () => {
    for (const engine of ['request-response', 'batch', 'reference'] as const)
      expect(await one.runtime.predictBatch(one.text, [], { engine })).toEqual([]);
  });

  test('an invalid row fails its whole batch, and the next batch is answered', async () => {
    const rows: Row[] = Array.from({ length: 300 }, () => 'good');
    await expect(one.runtime.predictBatch(one.text, [...rows, { text: Uint8Array.of(0xff) }])).rejects.toThrow(
      BrezelError,
    );
    expect(await one.runtime.predictBatch(one.text, rows)).toHaveLength(300);
  });

  test('an accessor that throws, rows that change', async () => {
    const rows = {
      get text() {
        throw new TypeError('mine');
      },
    };
    expect(() => one.runtime.predictSync(one.text, rows as never)).toThrow('mine');
    let reads = 0;
    const fickle = {
      get text() {
        return reads++ === 0 ? 'good' : (null as never);
      },
    };
    try {
      one.runtime.predictSync(one.text, fickle);
    } catch (error) {
      expect(error).toBeInstanceOf(BrezelError);
    }
    const fickleList = {
      get v() {
        return reads++ % 2 === 0 ? [1, 2, 3] : [1];
      },
    };
    await one.runtime
      .predictBatch(one.many, [{ ...good, ...fickleList }])
      .catch((error: unknown) => expect(error).toBeInstanceOf(BrezelError));
  });
});

describe('extreme values have the same answers on every engine', () => {
  const big = `good ${'\ud800 \0 é😀 '.repeat(60_000)}`;
  const texts: [string, string][] = [
    ['empty', ''],
    ['spaces', '   '],
    ['a zero character', '\0'],
    ['zero characters between', 'good\0good \0 good'],
    ['a lone high surrogate', '\ud800'],
    ['a lone low surrogate', '\udc00'],
    ['surrogates the wrong way round', '\udc00\ud800'],
    ['a high surrogate before a pair', '\ud83d\ud83d\ude00'],
    ['a surrogate at the end', 'good \ud83d'],
    ['a byte-order mark', '\ufeffgood'],
    ['noncharacters', '\uffff\ufffe\u{10ffff}'],
    ['one word of 70 bytes', 'x'.repeat(70)],
    ['one word of a megabyte', 'x'.repeat(MIB)],
    ['a megabyte of words', 'good '.repeat(MIB / 5)],
    ['a megabyte of anything', big],
    ['exactly the limit', 'x'.repeat(MAX_INPUT_BYTES)],
    ['exactly the limit in bytes', 'é'.repeat(MAX_INPUT_BYTES / 2)],
  ];

  test.each(texts)('%s', async (_, text) => {
    const { runtime: javascript, text: itsPlan } = engines.at(-1)!;
    const [reference] = await javascript.predictBatch(itsPlan, [text], { engine: 'reference' });
    const answers = await Promise.all([
      reference!,
      ...engines.flatMap(({ runtime, text: plan }) => [
        runtime.predictSync(plan, text),
        runtime.predictSync(plan, { text: new TextEncoder().encode(text) }),
        runtime.predictBatch(plan, ['good', text]).then((list) => list[1]!),
      ]),
    ]);
    for (const answer of answers) expect(difference(answer, answers[0])).toBeUndefined();
  });

  test('an empty text is the bias', () => {
    for (const { runtime, text } of engines) expect(runtime.predictSync(text, '')).toEqual({ y: [0.5] });
  });
});

describe('the runtime rejects', () => {
  test('unknown plans and unknown engines', async () => {
    const [one] = engines;
    const code = (code: string) => expect.objectContaining({ code });
    expect(() => one!.runtime.predictSync({} as never, 'x')).toThrow(code('ERR_RUNTIME_UNKNOWN_PLAN'));
    expect(() => one!.runtime.predictSync(undefined as never, 'x')).toThrow(code('ERR_RUNTIME_UNKNOWN_PLAN'));
    expect(() =>
      one!.runtime.predictSync(engines.at(-1)!.runtime === one!.runtime ? (null as never) : engines.at(-1)!.text, 'x'),
    ).toThrow(code('ERR_RUNTIME_UNKNOWN_PLAN'));
    await expect(one!.runtime.predictBatch(one!.text, ['x'], { engine: 'toString' as never })).rejects.toThrow(
      code('ERR_RUNTIME_ENGINE'),
    );
    if (native.length > 0)
      expect(() => createRuntime({ store: flour.store, isa: 'mmx' })).toThrow(code('ERR_RUNTIME_ENGINE'));
    const gone = one!.runtime.register(textPlan);
    one!.runtime.unregister(gone);
    expect(() => one!.runtime.predictSync(gone, 'x')).toThrow(code('ERR_RUNTIME_UNKNOWN_PLAN'));
    expect(() => one!.runtime.unregister(gone)).toThrow(code('ERR_RUNTIME_UNKNOWN_PLAN'));
  });

  test.each([-1, 0.5, Number.NaN, 2 ** 28 + 1, 2 ** 40, Number.POSITIVE_INFINITY, '5' as never])(
    'maxInputBytes %s',
    (maxInputBytes) => {
      for (const { runtime } of engines)
        expect(() => runtime.register(textPlan, { maxInputBytes })).toThrow(
          expect.objectContaining({ code: 'ERR_RUNTIME_OPTION' }),
        );
    },
  );

  test('a text beyond a limit of 0 bytes', () => {
    for (const { runtime } of engines) {
      const plan = runtime.register(textPlan, { maxInputBytes: 0 });
      expect(runtime.predictSync(plan, '')).toEqual({ y: [0.5] });
      expect(() => runtime.predictSync(plan, 'x')).toThrow(expect.objectContaining({ code: 'ERR_RUNTIME_INPUT' }));
      runtime.unregister(plan);
    }
  });
});

test('a text in a vector of one element', () => {
  for (const { runtime } of engines) {
    const plan = runtime.register<Row, Answer>(textVectorPlan as UntypedPlan);
    expect(runtime.predictSync(plan, { t: ['é\ud800'] })).toEqual({ y: 'é\ufffd' });
    expect(runtime.predictSync(plan, { t: 'é' })).toEqual({ y: 'é' });
    expect(() => runtime.predictSync(plan, { t: ['a', 'b'] })).toThrow(
      expect.objectContaining({ code: 'ERR_RUNTIME_INPUT' }),
    );
    expect(() => runtime.predictSync(plan, { t: ['a'] }, new Float64Array(1))).toThrow(
      expect.objectContaining({ code: 'ERR_RUNTIME_OUTPUT' }),
    );
    runtime.unregister(plan);
  }
});

test('after all these errors, the registered plans give the same answers', async () => {
  for (const { runtime, text } of engines) {
    expect(runtime.stats().plans).toHaveLength(2);
    expect(await runtime.predict(text, 'good good')).toEqual({ y: [2 + 16 + 2 * 32 + 4 * 64 + 0.5] });
  }
});
