import { createFlour, createRuntime, profile } from 'brezel';
import { afterAll, describe, expect, test } from 'vitest';
import { Engines, expectSame } from './engines.js';

const flour = await createFlour();
const engines = new Engines(flour.store);
afterAll(() => flour.dispose());

const vocabulary = [['good'], ['bad'], ['film'], ['not', 'good']];
const rows = ['good good film', 'not good', 'a bad film', ''].map((text) => ({ text }));
const program = (weights: readonly number[] = [1, -1, 0.5, -2]) => {
  const counts = flour.columns({ text: 'string' }).select('text').tokenize().wordNgram({ vocabulary });
  return flour.program({ score: counts.linear({ weights, bias: 0.25 }) });
};

describe('profile', () => {
  test('counts sizes, density and how often each n-gram occurs', () => {
    const profiled = profile(program(), rows, { batchRows: 3 });
    const statistics = Object.fromEntries(
      [...profiled.inputs, ...profiled.nodes()].map((node) => [node.operator?.name ?? node.name, node.statistics]),
    );
    expect(statistics.text).toEqual({ maxVectorSize: 14, meanVectorSize: 8 });
    expect(statistics.tokenize).toEqual({ maxVectorSize: 3, meanVectorSize: 2 });
    const { frequency, ...counted } = statistics.ngram!;
    expect(counted).toEqual({ maxVectorSize: 2, meanVectorSize: 1.5, density: 0.375 });
    expect(Array.from((flour.store.get(frequency!.id) as { data: Int32Array }).data)).toEqual([2, 1, 2, 1]);
    expect(statistics['count-linear']).toEqual({ maxVectorSize: 1, meanVectorSize: 1, density: 1 });
  });

  test('decides layout, sizes, dictionary and estimate, and changes no bit under exact', async () => {
    // The second weight is too small for integer weights, so the model reads counts.
    const unequal = () => program([1, -1e-9, 0.5, -2]);
    const [plain, profiled] = [unequal(), profile(unequal(), rows)].map((one) => one.plan());
    const operators = (plan: typeof plain) =>
      plan!.stages.flatMap(({ stage }) => stage.steps.map(({ operator }) => operator));
    expect(operators(plain)).not.toContain('densify'); // 37 % of the columns: almost dense
    expect(operators(profiled)).toContain('densify');
    // The profiled rows have texts of 8 bytes; the default estimate assumes 600.
    expect(profiled!.nanosPerRow).toBeLessThan(plain!.nanosPerRow);
    expect(plain!.stages[0]!.marks.maxVectorSizes).toEqual([4]);
    const dictionaryOf = (plan: typeof plain) => plan!.stages[0]!.stage.calls![0]!.parameters[1];
    expect(dictionaryOf(profiled)).not.toBe(dictionaryOf(plain));

    const answers = await Promise.all([plain, profiled].map((plan) => engines.answers(plan!, rows)));
    for (const { answers: each } of answers) expectSame(each, answers[0]!.answers.get('reference')!);
    for (const plan of [plain, profiled]) plan!.release();
  });

  test('of no rows contains no statistics', () => {
    const { statistics } = profile(program(), []).nodes().at(-1)!;
    expect(statistics).toEqual({});
  });

  test('names the row that does not match the schema', () => {
    expect(() => profile(program(), [{ text: 'good' }, { text: 7 }])).toThrow(
      expect.objectContaining({ code: 'ERR_RUNTIME_INPUT', message: expect.stringContaining('row 1') }),
    );
  });

  test('frees its memory with its program', async () => {
    const other = await createFlour();
    const text = other.columns({ text: 'string' }).select('text').tokenize().wordNgram({ vocabulary });
    profile(other.program({ counts: text }), rows)
      .plan()
      .release();
    other.dispose();
    expect(other.store.stats().objects).toBe(0);
  });
});

describe('a batch', () => {
  const runtime = createRuntime({ store: flour.store });
  const register = () => {
    const plan = program().plan();
    const registered = runtime.register(plan);
    plan.release();
    return registered;
  };
  const many = Array.from({ length: 20_000 }, (_, at) => ({ text: rows[at % rows.length]!.text }));

  test('lets the event loop run, and returns answers in order', async () => {
    const plan = register();
    let turns = 0;
    let done = false;
    const count = () => {
      turns++;
      if (!done) setImmediate(count);
    };
    setImmediate(count);
    const given = many.slice();
    const answering = runtime.predictBatch(plan, given);
    given.length = 0; // the caller may change the list during the call
    const answers = await answering;
    done = true;
    expect(turns).toBeGreaterThan(2);
    expect(answers).toHaveLength(many.length);
    const each = rows.map((row) => runtime.predictSync(plan, row));
    for (let at = 0; at < answers.length; at++) expect(answers[at]).toEqual(each[at % rows.length]);
    runtime.unregister(plan);
  });

  test('fails if its plan is removed during the call', async () => {
    const plan = register();
    const answering = runtime.predictBatch(plan, many);
    setImmediate(() => runtime.unregister(plan));
    await expect(answering).rejects.toMatchObject({ code: 'ERR_RUNTIME_UNKNOWN_PLAN' });
  });

  test('names an invalid row near its end, and answers no row', async () => {
    const plan = register();
    const faulty = many.slice();
    faulty[12_345] = { text: 5 as unknown as string };
    await expect(runtime.predictBatch(plan, faulty)).rejects.toMatchObject({
      code: 'ERR_RUNTIME_INPUT',
      message: expect.stringContaining('row 12345'),
    });
    runtime.unregister(plan);
  });
});

test('inputs that no stage reads may be missing', async () => {
  const columns = flour.columns({ age: 'float32', fare: 'float32', note: 'string' });
  const [age, fare, note] = [columns.select('age'), columns.select('fare'), columns.select('note')];
  const kept = age.asVector().concat(fare.asVector()).selectColumns([1]).map('abs');
  const plan = flour.program({ kept }, { inputs: [age, fare, note] }).plan();
  expect(plan.inputs.map(({ name, unused }) => [name, unused === true])).toEqual([
    ['age', true],
    ['fare', false],
    ['note', true],
  ]);
  const { answers } = await engines.answers(plan, [{ fare: -2 }, { fare: 3, note: null, age: 'what' }]);
  expectSame(answers, [{ kept: [2] }, { kept: [3] }]);
  plan.release();
});

test('inputs of a program are inputs, and all of them', () => {
  const columns = flour.columns({ age: 'float32', fare: 'float32' });
  const [age, fare] = [columns.select('age'), columns.select('fare')];
  const sum = age.arithmetic('add', fare);
  for (const inputs of [[age], [age, fare, sum]])
    expect(() => flour.program({ sum }, { inputs })).toThrow(expect.objectContaining({ code: 'ERR_FLOUR_GRAPH' }));
});
