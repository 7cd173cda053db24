import {
  BrezelError,
  createFlour,
  createRuntime,
  defineOperator,
  type FlourContext,
  type Flow,
  scalar,
  tensor,
  vector,
} from 'brezel';
import { afterAll, describe, expect, test } from 'vitest';
import { Engines, expectSame, rawAnswers } from '../conformance/engines.js';

const flour: FlourContext = await createFlour();
const runtime = createRuntime({ store: flour.store });
const engines = new Engines(flour.store);
afterAll(() => flour.dispose());

/** Returns the answers of a program with one output. Fails if engines disagree. */
async function answersOf(flow: Flow, rows: readonly Readonly<Record<string, unknown>>[]): Promise<unknown[]> {
  const program = flour.program({ y: flow });
  const plan = program.plan();
  const { answers } = await engines.answers(plan, rows);
  expectSame(answers, rawAnswers(program, rows));
  plan.release();
  return answers.get('reference')!.map((answer) => answer.y);
}

/** Returns the error that a function throws. */
function thrown(work: () => unknown): BrezelError {
  try {
    work();
  } catch (error) {
    if (error instanceof BrezelError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

const wordCount = defineOperator({
  name: 'test/word-count',
  inputs: ['text'],
  output: 'float32',
  run: (text) => text.split(/\s+/).filter(Boolean).length,
});
const texts = [{ text: 'a good film' }, { text: '' }, { text: ' naïve 😀  half \ud83d ' }];
const text = flour.columns({ text: 'string' }).select('text');

describe('values in and out', () => {
  test('a function of one text', async () => {
    expect(await answersOf(text.custom(wordCount), texts)).toEqual([3, 0, 4]);
  });

  test('every type of input arrives as its kind of value, and can be returned', async () => {
    const names = ['float32', 'float64', 'int64', 'int32', 'bool'] as const;
    const kinds = { float32: 'number', float64: 'number', int64: 'bigint', int32: 'number', bool: 'boolean' };
    const arrays = {
      float32: Float32Array,
      float64: Float64Array,
      int64: BigInt64Array,
      int32: Int32Array,
      bool: Array,
    };
    for (const dtype of names) {
      const one = defineOperator({
        name: `test/one-${dtype}`,
        inputs: [dtype, `${dtype}[]`, `${dtype}[2]`],
        output: `${dtype}[3]`,
        run: (value, any, two) => {
          expect([typeof value, any.constructor, two.length]).toEqual([kinds[dtype], arrays[dtype], 2]);
          return [any[0]!, value, two[1]!] as never;
        },
      });
      const use = flour.custom(one, [
        flour.input('a', scalar(dtype)),
        flour.input('b', vector(dtype, 3)),
        flour.input('c', vector(dtype, 2)),
      ] as never);
      const [answer] = await answersOf(use, [{ a: 1, b: [0, 1, 1], c: [0, 1] }]);
      expect(answer).toEqual(dtype === 'bool' ? [false, true, true] : [0, 1, 1]);
    }
  });

  test('the elements of a tensor', async () => {
    const doubled = defineOperator({
      name: 'test/elements',
      inputs: ['float32[]'],
      output: ({ sizes: [size] }) => `float32[${size}]`,
      run: (values) => values.map((value) => 2 * value),
    });
    const image = flour.input('image', tensor('float32', [2, 2])) as Flow<'tensor'>;
    const rows = [
      {
        image: [
          [1, 2],
          [3, 4],
        ],
      },
      {
        image: [
          [0, -1],
          [0.5, 8],
        ],
      },
    ];
    const answers = await answersOf(image.asVector().custom(doubled).asTensor([4, 1]), rows);
    expect(answers[0]).toEqual([[2], [4], [6], [8]]);
    expect(answers[1]).toEqual([[0], [-2], [1], [16]]);
  });

  test('texts, tokens, sparse vectors and named numbers', async () => {
    const letters = defineOperator({
      name: 'test/letters',
      inputs: ['tokens'],
      output: 'tokens',
      run: (words) => words.flatMap((word) => [...word]),
    });
    expect(await answersOf(text.tokenize().custom(letters), texts.slice(0, 2))).toEqual([[...'agoodfilm'], []]);

    const counts = text.tokenize().wordNgram({ vocabulary: [['film'], ['good'], ['bad']] });
    const reversed = defineOperator({
      name: 'test/reversed',
      inputs: ['float32[]'],
      output: ({ sizes: [size] }) => `sparse[${size}]`,
      run: (values) => [...values.entries()].reverse().filter(([, value]) => value !== 0),
    });
    expect(await answersOf(counts.custom(reversed), texts)).toEqual([
      [1, 1, 0],
      [0, 0, 0],
      [0, 0, 0],
    ]);

    const best = defineOperator({
      name: 'test/best',
      inputs: ['map'],
      output: 'text[2]',
      run: (scores) =>
        Object.keys(scores)
          .sort((a, b) => scores[b]! - scores[a]!)
          .slice(0, 2),
    });
    const scores = counts.softmax({ weights: [1, 0, 0, 0, 1, 0, 0, 0, 1], bias: [0, 0.5, 0] }).zipMap(['x', 'y', 'z']);
    expect(await answersOf(scores.custom(best), texts)).toEqual([
      ['y', 'x'],
      ['y', 'x'],
      ['y', 'x'],
    ]);
  });

  test('NaN, infinities and lone surrogates', async () => {
    const odd = defineOperator({
      name: 'test/odd',
      inputs: ['text'],
      output: 'float64[3]',
      run: () => [Number.NaN, Number.NEGATIVE_INFINITY, -0],
    });
    expect(await answersOf(text.custom(odd), [texts[0]!])).toEqual([[Number.NaN, Number.NEGATIVE_INFINITY, -0]]);
    const half = defineOperator({ name: 'test/half', inputs: ['text'], output: 'text', run: (one) => one.slice(0, 1) });
    expect(await answersOf(text.custom(half), [{ text: '😀' }])).toEqual(['\ufffd']);
  });

  test('64-bit integers pass through the addon unchanged', async () => {
    const wide = defineOperator({
      name: 'test/wide',
      inputs: ['int64'],
      output: 'int64',
      run: (value) => value * 2n ** 54n + 1n,
    });
    const id = flour.input('id', scalar('int64')) as Flow<'scalar'>;
    const labels = { keys: [2n ** 54n + 1n, 2n ** 54n], values: ['this', 'its neighbour'], otherwise: 'none' } as const;
    expect(
      await answersOf(id.custom(wide).labelEncode({ ...labels, keys: BigInt64Array.from(labels.keys) }), [{ id: 1 }]),
    ).toEqual(['this']);
  });
});

describe('attributes and parameters', () => {
  const clipped = defineOperator({
    name: 'test/clipped',
    inputs: ['float32[]'],
    output: ({ sizes: [size] }) => `float32[${size}]`,
    attributes: { least: 0, name: 'all' },
    parameters: { most: 'float64', words: 'string' },
    run: (values, { attributes, parameters }) =>
      values.map(
        (value, at) => Math.min(Math.max(value, attributes.least), parameters.most[at]!) + parameters.words.length,
      ),
  });
  const x = flour.input('x', vector('float32', 3)) as Flow<'vector'>;

  test('attributes have defaults, parameters are stored once', async () => {
    const parameters = { most: [1, 2, 3], words: ['a', 'b'] };
    const program = flour.program({
      a: x.custom(clipped, { parameters }),
      b: x.custom(clipped, { parameters, attributes: { least: -5 } }),
    });
    const plan = program.plan();
    expect(plan.parameters).toHaveLength(2);
    const { answers } = await engines.answers(plan, [{ x: [-1, 9, Number.NaN] }]);
    expectSame(answers, [{ a: [2, 4, Number.NaN], b: [1, 4, Number.NaN] }]);
    plan.release();
  });

  test('unknown attributes and parameters are rejected', () => {
    const use = (options: unknown) => () => x.custom(clipped, options as never);
    const parameters = { most: [1, 2, 3], words: [] };
    expect(thrown(use(undefined))).toMatchObject({
      code: 'ERR_FLOUR_PARAM',
      message: expect.stringContaining('most of test/clipped'),
    });
    expect(thrown(use({ parameters: { most: ['x'], words: [] } }))).toMatchObject({ code: 'ERR_FLOUR_PARAM' });
    for (const words of [[undefined], ['a', 1], [null]])
      expect(thrown(use({ parameters: { most: [1], words } }))).toMatchObject({ code: 'ERR_FLOUR_PARAM' });
    expect(thrown(use({ parameters: { ...parameters, more: [1] } }))).toMatchObject({ code: 'ERR_FLOUR_PARAM' });
    expect(thrown(use({ parameters, attributes: { color: 'red' } }))).toMatchObject({ code: 'ERR_FLOUR_PARAM' });
    for (const least of [Number.NaN, () => 1, undefined, 1n, new Map()])
      expect(thrown(use({ parameters, attributes: { least } })).code).toBe('ERR_FLOUR_PARAM');
  });
});

describe('numbers of parameters', () => {
  const x = flour.input('x', vector('float32', 1)) as Flow<'vector'>;
  const types = ['float32', 'float64', 'int64', 'int32', 'bool'] as const;
  const operators = new Map(
    types.map((dtype) => [
      dtype,
      defineOperator({
        name: `test/of-${dtype}`,
        inputs: ['float32[]'],
        output: 'float32',
        parameters: { m: dtype },
        run: () => 1,
      }),
    ]),
  );
  const use = (dtype: (typeof types)[number], m: unknown) =>
    x.custom(operators.get(dtype)!, { parameters: { m } } as never);

  test.each([
    ['int32', [2.7]],
    ['int32', [2 ** 31]],
    ['int32', [Number.NaN]],
    ['int32', BigInt64Array.of(2n ** 40n)],
    ['int64', [2 ** 63]],
    ['int64', BigUint64Array.of(2n ** 63n)],
    ['int64', [0.5]],
    ['float32', [1e300]],
    ['float32', BigInt64Array.of(16777217n)],
    ['float64', BigInt64Array.of(2n ** 53n + 1n)],
    ['bool', [2]],
  ] as const)('%s rejects %s', (dtype, m) => {
    expect(thrown(() => use(dtype, m))).toMatchObject({
      code: 'ERR_FLOUR_PARAM',
      message: expect.stringContaining(`expected an array of ${dtype} at m of test/of-${dtype}, received ${m[0]}`),
    });
  });

  test.each([
    ['int32', [1, null], 'null at index 1'],
    ['int64', [{}], 'an object at index 0'],
    ['float32', [undefined], 'undefined at index 0'],
    ['float64', new Array(2), 'undefined at index 0'],
    ['bool', [1, 'yes'], 'the text "yes" at index 1'],
    ['bool', [2n], '2 at index 0'],
  ] as const)('%s rejects %s with its index', (dtype, m, received) => {
    expect(thrown(() => use(dtype, m))).toMatchObject({
      code: 'ERR_FLOUR_PARAM',
      message: expect.stringContaining(`expected an array of ${dtype} at m of test/of-${dtype}, received ${received}`),
    });
  });

  test.each([
    ['int32', [-(2 ** 31), -0]],
    ['int64', [-(2 ** 63), 5n]],
    ['float32', [0.1, Number.NaN, Infinity, 16777217]],
    ['float64', [0.1, 1n, 1e300]],
    ['bool', [true, false, 0, 1]],
  ] as const)('%s accepts %s', (dtype, m) => {
    expect(use(dtype, m).type).toBeDefined();
  });
});

describe('faults', () => {
  const faulty = (name: string, output: string, run: () => unknown) =>
    text.custom(
      defineOperator({ name: `test/${name}`, inputs: ['text'], output: output as 'float32', run: run as () => number }),
    );
  const failing = defineOperator({
    name: 'test/failing',
    inputs: ['text'],
    output: 'float32',
    run: (one) => (one === 'bad' ? JSON.parse(one) : 1),
  });

  test('an error of a function names the operator, the row and the plan, and has a cause', async () => {
    const plan = runtime.register(text.custom(failing).plan({ name: 'scores' }));
    const rows = Array.from({ length: 300 }, (_, row) => (row === 280 ? 'bad' : 'good'));
    for (const engine of ['batch', 'reference'] as const) {
      const error = await runtime.predictBatch(plan, rows, { engine }).catch((one: BrezelError) => one);
      expect(error).toMatchObject({ code: 'ERR_RUNTIME_CUSTOM', cause: { cause: { name: 'SyntaxError' } } });
      expect((error as BrezelError).message).toContain('test/failing, row 280, plan scores, stage 1: SyntaxError: ');
    }
    expect(runtime.predictSync(plan, 'good')).toEqual({ output: 1 });
    runtime.unregister(plan);
  });

  const wrong: readonly (readonly [name: string, output: string, run: () => unknown, message: string])[] = [
    [
      'number',
      'float32',
      () => 'text',
      'expected float32 at test/number, row 0, plan program, stage 1, received the text "text"',
    ],
    [
      'nothing',
      'text',
      () => undefined,
      'expected text at test/nothing, row 0, plan program, stage 1, received undefined',
    ],
    ['promise', 'float32', async () => 1, 'received a promise: operators answer at once'],
    [
      'short',
      'float32[3]',
      () => [1, 2],
      'expected float32[3] at test/short, row 0, plan program, stage 1, received an array of 2',
    ],
    ['fraction', 'int32', () => 0.5, 'expected int32 at test/fraction, row 0, plan program, stage 1, received 0.5'],
    ['far', 'int64', () => 2 ** 60, 'expected int64'],
    ['farther', 'int64', () => 2n ** 63n, 'expected int64'],
    ['truth', 'bool', () => 1, 'expected bool'],
    [
      'column',
      'sparse[4]',
      () => [[4, 1]],
      'expected columns from 0 to 3 at test/column, row 0, plan program, stage 1, received 4',
    ],
    [
      'twice',
      'sparse[4]',
      () => [
        [1, 1],
        [1, 2],
      ],
      'column 1 twice',
    ],
    ['words', 'tokens', () => ['a', 1], 'expected text'],
    ['number-in-list', 'float32[2]', () => [1, null], 'received null'],
  ];
  test.each(wrong)('a result of another type or size: %s', (name, output, run, message) => {
    const plan = runtime.register(faulty(`wrong-${name}`, output, run).plan());
    const error = thrown(() => runtime.predictSync(plan, 'x'));
    expect(error).toMatchObject({ code: 'ERR_RUNTIME_CUSTOM' });
    expect(error.message).toContain(message.replace('test/', 'test/wrong-'));
    runtime.unregister(plan);
  });

  test('a function can reject a row', async () => {
    const postcode = defineOperator({
      name: 'test/postcode',
      inputs: ['text'],
      output: 'int32',
      run: (code, { refuse }) =>
        /^\d{5}$/.test(code) ? Number(code) : refuse(`the postcode "${code}"`, 'send five digits'),
    });
    const plan = runtime.register(text.custom(postcode).plan());
    const error = await runtime.predictBatch(plan, ['12345', 'x']).catch((one: BrezelError) => one);
    expect(error).toMatchObject({ code: 'ERR_RUNTIME_INPUT', hint: 'send five digits' });
    expect((error as BrezelError).message).toContain('row 1: the postcode "x" (test/postcode)');
    runtime.unregister(plan);
  });

  test('a chain of wrong types is rejected when it is written', () => {
    const age = flour.input('age', scalar('float32')) as Flow;
    const error = thrown(() => (age as Flow<'text'>).custom(wordCount));
    expect(error).toMatchObject({ code: 'ERR_FLOUR_TYPE' });
    expect(error.message).toBe('expected text at input 0 of test/word-count, received float32');
    expect(thrown(() => flour.custom(wordCount, [] as never)).code).toBe('ERR_FLOUR_GRAPH');
    const halved = defineOperator({
      name: 'test/halved',
      inputs: ['float32[]'],
      output: ({ sizes: [size] }) => `float32[${size}]`,
      run: (values) => values.map((value) => value / 2),
    });
    const image = flour.input('image', tensor('float32', [2, 3])) as Flow;
    expect(thrown(() => (image as Flow<'vector'>).custom(halved)).hint).toContain('asVector()');
    const grown = defineOperator({
      name: 'test/grown',
      inputs: ['text'],
      output: () => `float32[${0}]`,
      run: () => [],
    });
    expect(thrown(() => text.custom(grown)).code).toBe('ERR_FLOUR_SIZE');
    const cause = new Error('no type');
    const failing = defineOperator({
      name: 'test/failing-type',
      inputs: ['text'],
      output: (): 'float32' => {
        throw cause;
      },
      run: () => 1,
    });
    expect(thrown(() => text.custom(failing))).toMatchObject({
      code: 'ERR_FLOUR_TYPE',
      message: expect.stringMatching(/test\/failing-type.*no type/),
      hint: expect.stringContaining('the function `output`'),
      cause,
    });
  });

  test('definitions are checked', () => {
    const define = (facts: object) =>
      thrown(() =>
        defineOperator({ name: 'test/checked', inputs: ['text'], output: 'float32', run: () => 1, ...facts } as never),
      ).code;
    for (const name of ['checked', '/checked', 'test/', 'test//x', 'te st/x', '', '__proto__', 7])
      expect(define({ name })).toBe('ERR_FLOUR_NAME');
    for (const version of [0, 1.5, -1, Number.NaN, '1']) expect(define({ version })).toBe('ERR_FLOUR_NAME');
    for (const inputs of [[], undefined, ['txt'], ['float32[x]'], ['sparse[3]'], [vector('float32', 1)]])
      expect(define({ inputs })).toBe('ERR_FLOUR_TYPE');
    for (const output of ['map', 'float32[]', 'nothing', undefined, 'tokens[3]'])
      expect(define({ output })).toBe('ERR_FLOUR_TYPE');
    expect(define({ run: undefined })).toBe('ERR_FLOUR_PARAM');
    expect(define({ runBlock: () => 1 })).toBe('ERR_FLOUR_PARAM');
  });
});

describe('blocks', () => {
  test('the advanced form sees all rows at once', async () => {
    const doubled = defineOperator({
      name: 'test/doubled',
      inputs: ['float32[]'],
      output: ({ sizes: [size] }) => `float32[${size}]`,
      runBlock: ({ inputs }) => {
        const [block] = inputs as [Extract<(typeof inputs)[number], { kind: 'dense' }>];
        return { ...block, values: (block.values as Float32Array).map((value) => value * 2) } as typeof block;
      },
    });
    const rows = Array.from({ length: 600 }, (_, row) => ({ x: [row, -row] }));
    const x = flour.input('x', vector('float32', 2)) as Flow<'vector'>;
    expect(await answersOf(x.custom(doubled), rows)).toEqual(rows.map(({ x: [a, b] }) => [a! * 2, b! * 2]));
  });

  test.each([
    ['nothing', () => undefined],
    ['another kind', () => ({ kind: 'strings', rows: 1, size: 2, values: ['a', 'b'] })],
    [
      'too few numbers',
      ({ rows }: { rows: number }) => ({ kind: 'dense', dtype: 'float32', rows, size: 2, values: new Float32Array(1) }),
    ],
    [
      'another array',
      ({ rows }: { rows: number }) => ({ kind: 'dense', dtype: 'float32', rows, size: 2, values: new Float64Array(2) }),
    ],
    ['other rows', () => ({ kind: 'dense', dtype: 'float32', rows: 9, size: 2, values: new Float32Array(18) })],
  ])('a block that is not what the operator promised is refused: %s', (what, runBlock) => {
    const name = `test/block-${what.replaceAll(' ', '-')}`;
    const operator = defineOperator({ name, inputs: ['text'], output: 'float32[2]', runBlock: runBlock as never });
    const plan = runtime.register(text.custom(operator).plan());
    const error = thrown(() => runtime.predictSync(plan, 'x'));
    expect(error).toMatchObject({ code: 'ERR_RUNTIME_CUSTOM' });
    expect(error.message).toContain(`expected a block of 1 rows of float32[2] at ${name}, plan program`);
    runtime.unregister(plan);
  });

  test('sparse blocks are checked: the addon relies on their columns', () => {
    const sparse = (ids: number[], offsets = [0, ids.length]) => ({
      kind: 'sparse' as const,
      rows: 1,
      size: 4,
      offsets: Uint32Array.from(offsets),
      ids: Uint32Array.from(ids),
      values: new Float32Array(ids.length),
    });
    for (const [at, block] of [sparse([4]), sparse([1, 1]), sparse([1], [0, 2]), sparse([1], [1, 1])].entries()) {
      const operator = defineOperator({
        name: `test/sparse-${at}`,
        inputs: ['text'],
        output: 'sparse[4]',
        runBlock: () => block,
      });
      const plan = runtime.register(
        text
          .custom(operator)
          .linear({ weights: [1, 2, 3, 4] })
          .plan(),
      );
      expect(thrown(() => runtime.predictSync(plan, 'x')).code).toBe('ERR_RUNTIME_CUSTOM');
      runtime.unregister(plan);
    }
  });
});

describe('names and versions', () => {
  const define = (version: number, answer: number, more: object = {}) =>
    defineOperator({ name: 'test/versions', version, inputs: ['text'], output: 'float32', run: () => answer, ...more });

  test('two versions of one name can be used together, also in one plan', async () => {
    const [one, two] = [define(1, 1), define(2, 2)];
    const plan = flour.program({ a: text.custom(one), b: text.custom(two) }).plan();
    const { answers } = await engines.answers(plan, ['x']);
    expectSame(answers, [{ a: 1, b: 2 }]);
    plan.release();
  });

  test('a second definition of a name and version is rejected, or replaces the first', () => {
    define(7, 7);
    const error = thrown(() => define(7, 8));
    expect(error).toMatchObject({
      code: 'ERR_FLOUR_NAME',
      message: expect.stringContaining('test/versions version 7 twice'),
    });
    const plan = runtime.register(text.custom(define(7, 9, { replace: true })).plan());
    expect(runtime.predictSync(plan, 'x')).toEqual({ output: 9 });
    runtime.unregister(plan);
  });

  test('equal uses run once, and only their stage runs in JavaScript', () => {
    let calls = 0;
    const counted = defineOperator({
      name: 'test/counted',
      inputs: ['text'],
      output: 'float32',
      run: () => ++calls && 0,
    });
    const features = () =>
      text
        .tokenize()
        .wordNgram({ vocabulary: [['good'], ['bad']] })
        .concat(text.custom(counted).asVector());
    const program = flour.program({
      a: features().logistic({ weights: [1, -1, 1] }),
      b: features().linear({ weights: [1, 2, 3] }),
    });
    const plan = runtime.register(program.plan());
    expect(plan.engine).toBe('mixed');
    runtime.predictSync(plan, 'good');
    expect(calls).toBe(1);
    runtime.unregister(plan);
  });
});
