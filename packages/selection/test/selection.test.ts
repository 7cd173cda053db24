import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../../testing/manual-clock.js';
import {
  type Candidate,
  createSelection,
  exp3,
  exp4,
  type LogRecord,
  memoryState,
  replayFeedback,
  type SelectionOptions,
  type SelectionPolicy,
} from '../dist/index.js';
import { drawing } from './drawing.js';

interface Answer {
  readonly label: string;
}

const says =
  (label: string): Candidate<string, Answer> =>
  () => ({ label });
const candidates = { a: says('good'), b: says('bad'), c: says('good') };
const fails: Candidate<string, Answer> = () => {
  throw new Error('broken');
};
/** Asks the candidates in the order of their names, and returns the first answer. */
const inOrder: SelectionPolicy = {
  name: 'in-order',
  init: () => null,
  select: (_state, { candidates: [first] }) => ({ ask: [first!], probabilities: { [first!]: 1 } }),
  combine: (_state, { asked, join }) => join({ [asked[0]!]: 1 }),
  observe: (state) => state,
};
const selection = (options: Partial<SelectionOptions<string, Answer, string>> = {}) =>
  createSelection<string, Answer, string>({
    candidates,
    loss: (truth, answer) => (truth === answer.label ? 0 : 1),
    ...options,
  });
const refused = (code: string) => expect.objectContaining({ code });

describe('predict', () => {
  it('answers with the vote of the ensemble, and reports the confidence', async () => {
    const app = selection();
    const chosen = await app.predict('row');
    expect(chosen).toMatchObject({ answer: { label: 'good' }, confidence: 2 / 3, isFallback: false, missing: [] });
    expect(chosen.asked).toEqual(['a', 'b', 'c']);
  });

  it('increases the weight of a candidate after feedback, in each context by the feedback of this context', async () => {
    const app = selection({
      candidates: { a: says('good'), b: says('bad') },
      policy: exp4({ eta: 1 }),
    });
    const { query } = await app.predict('row', { context: 7 });
    expect(await app.feedback(query, 'bad', { context: 7 })).toEqual({ loss: 1, losses: { a: 1, b: 0 } });
    expect((await app.predict('row')).answer).toEqual({ label: 'bad' });
    const { query: second } = await app.predict('row', { context: 'other' });
    await app.feedback(second, 'good');
    const [global, other, seven] = await Promise.all([
      app.weights(),
      app.weights({ context: 'other' }),
      app.weights({ context: 7 }),
    ]);
    // A context starts with the shared weights, because none is below half of an equal weight, and
    // then learns only from its own feedback.
    expect(global).toEqual(other);
    expect(seven!.a).toBeLessThan(global!.a!);
  });

  it('answers the fallback if the candidates do not agree enough', async () => {
    const fallback = { label: 'unknown' };
    const app = selection({ fallback, leastConfidence: 0.7 });
    expect(await app.predict('row')).toMatchObject({ answer: fallback, confidence: 2 / 3, isFallback: true });
    expect(app.stats()).toMatchObject({ requests: 1, fallbacks: 1 });
  });

  it('combines the answers that arrived before the deadline, and names and aborts the late candidates', async () => {
    const clock = new ManualClock();
    let aborted: unknown;
    const slow: Candidate<string, Answer> = (_row, { signal }) =>
      new Promise((_resolve, reject) => {
        signal!.addEventListener('abort', () => {
          aborted = signal!.reason;
          reject(signal!.reason);
        });
      });
    const app = selection({ candidates: { ...candidates, slow }, clock, deadlineMs: 20 });
    const predicting = app.predict('row');
    await clock.untilTimer();
    clock.advance(20);
    const chosen = await predicting;
    expect(chosen).toMatchObject({ answer: { label: 'good' }, confidence: 2 / 4, isFallback: false });
    expect(chosen.missing).toEqual([{ candidate: 'slow', reason: 'late' }]);
    expect(aborted).toMatchObject({ name: 'TimeoutError' });
    expect(clock.timers).toBe(0);
    // A late candidate has the loss of a wrong answer.
    expect((await app.feedback(chosen.query, 'good')).losses).toEqual({ a: 0, b: 1, c: 0, slow: 1 });
    expect(app.stats().candidates.slow).toMatchObject({ asked: 1, answered: 0, late: 1, failed: 0, loss: 1 });
  });

  it('asks another candidate if the chosen one fails', async () => {
    const app = selection({ candidates: { a: fails, b: says('bad') }, policy: inOrder });
    const chosen = await app.predict('row');
    expect(chosen).toMatchObject({ answer: { label: 'bad' }, asked: ['a', 'b'], isFallback: false });
    expect(chosen.missing).toEqual([{ candidate: 'a', reason: 'failed', error: new Error('broken') }]);
    // The policy chose a. It does not learn from b, which was asked only because a failed.
    expect((await app.feedback(chosen.query, 'bad')).losses).toEqual({ a: 1 });
  });

  it('without any answer, returns the fallback, or an error with every reason', async () => {
    const broken = { a: fails, b: (async () => undefined) as never, c: () => Promise.reject(new Error('down')) };
    const fallback = { label: 'unknown' };
    const answered = await selection({ candidates: broken, fallback }).predict('row');
    expect(answered).toMatchObject({ answer: fallback, confidence: 0, isFallback: true });
    expect(answered.missing.map(({ candidate, reason }) => `${candidate} ${reason}`)).toEqual([
      'a failed',
      'b failed',
      'c failed',
    ]);
    const app = selection({ candidates: broken });
    await expect(app.predict('row')).rejects.toMatchObject({
      code: 'ERR_SELECTION_NO_ANSWER',
      statusCode: 503,
      cause: { errors: [new Error('broken'), refused('ERR_SELECTION_CANDIDATE'), new Error('down')] },
    });
    expect(app.stats()).toMatchObject({ requests: 1, unanswered: 1 });
    await expect(selection({ candidates: {} }).predict('row')).rejects.toThrow('no candidates');
  });

  it('rejects with the reason of the signal, and leaves no timer', async () => {
    const clock = new ManualClock();
    const hangs: Candidate<string, Answer> = () => new Promise(() => {});
    const app = selection({ candidates: { hangs }, clock, deadlineMs: 20 });
    const controller = new AbortController();
    const predicting = app.predict('row', { signal: controller.signal });
    await clock.untilTimer();
    controller.abort(new Error('gone'));
    await expect(predicting).rejects.toThrow('gone');
    expect(clock.timers).toBe(0);
    await expect(app.predict('row', { signal: controller.signal })).rejects.toThrow('gone');
  });

  it('uses added candidates, and not removed ones', async () => {
    const app = selection({ candidates: { a: says('good') } });
    app.add('b', says('bad'));
    expect(app.names()).toEqual(['a', 'b']);
    expect(() => app.add('b', says('bad'))).toThrow(refused('ERR_SELECTION_CANDIDATE'));
    const { query } = await app.predict('row');
    expect(app.remove('a')).toBe(true);
    expect(app.remove('a')).toBe(false);
    await app.feedback(query, 'good');
    expect(await app.predict('row')).toMatchObject({ answer: { label: 'bad' }, asked: ['b'] });
    expect(await app.weights()).toEqual({ b: 1 });
  });

  it('joins numbers by their weighted mean, at any depth', async () => {
    const app = createSelection<null, unknown, number>({
      candidates: {
        a: () => ({ label: 'x', scores: Float32Array.of(0, 1), more: [{ price: 10 }] }),
        b: () => ({ label: 'x', scores: Float32Array.of(1, 0), more: [{ price: 20 }] }),
      },
      combine: 'mean',
      loss: () => 0,
    });
    const { answer, confidence } = await app.predict(null);
    expect(answer).toEqual({ label: 'x', scores: Float32Array.of(0.5, 0.5), more: [{ price: 15 }] });
    expect(confidence).toBe(1);
  });

  it('rejects answers that it cannot compare', async () => {
    const ensemble = (a: unknown, b: unknown, combine: 'vote' | 'mean') =>
      createSelection<null, unknown>({ candidates: { a: () => a, b: () => b }, combine, loss: () => 0 }).predict(null);
    const two = { p: 1, q: 2 };
    await expect(ensemble(two, two, 'vote')).rejects.toThrow(
      'expected an answer with one label, received an object with p,q',
    );
    await expect(ensemble([1], [1, 2], 'mean')).rejects.toThrow('expected a list of 1, received a list of 2');
    await expect(ensemble({ p: 1 }, { q: 1 }, 'mean')).rejects.toThrow('expected an object with p, received object');
    await expect(ensemble(1, '1', 'mean')).rejects.toThrow('expected a number, received string');
  });
});

describe('feedback', () => {
  it('counts once', async () => {
    const app = selection();
    const { query } = await app.predict('row');
    const both = await Promise.allSettled([app.feedback(query, 'good'), app.feedback(query, 'good')]);
    expect(both.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
    expect(both[1]).toMatchObject({ reason: { code: 'ERR_SELECTION_REPEATED', statusCode: 409 } });
    expect(app.stats()).toMatchObject({ feedback: 1, refused: 1, waiting: 0 });
  });

  it('is rejected for an unknown, an old and a removed query', async () => {
    const clock = new ManualClock();
    const app = selection({ clock, feedbackMs: 100, maxQueries: 2 });
    await expect(app.feedback('no query', 'good')).rejects.toMatchObject({
      code: 'ERR_SELECTION_QUERY',
      statusCode: 404,
    });
    await expect(app.feedback(undefined as never, 'good')).rejects.toMatchObject({ code: 'ERR_SELECTION_QUERY' });
    const { query } = await app.predict('row');
    clock.advance(101);
    await expect(app.feedback(query, 'good')).rejects.toMatchObject({ code: 'ERR_SELECTION_QUERY' });
    const { query: first } = await app.predict('row');
    await app.predict('row');
    await app.predict('row');
    await expect(app.feedback(first, 'good')).rejects.toMatchObject({ code: 'ERR_SELECTION_QUERY' });
    expect(app.stats()).toMatchObject({ expired: 2, waiting: 2, refused: 4 });
  });

  it.each([Number.NaN, -0.1, 1.1, '0', undefined])(
    'with the loss %j changes nothing and can be corrected',
    async (loss) => {
      let lost: unknown = loss;
      const app = selection({ loss: () => lost as number });
      const { query } = await app.predict('row');
      const before = await app.weights();
      await expect(app.feedback(query, 'good')).rejects.toMatchObject({ code: 'ERR_SELECTION_LOSS', statusCode: 400 });
      expect(await app.weights()).toEqual(before);
      lost = 1;
      expect((await app.feedback(query, 'good')).loss).toBe(1);
    },
  );

  it('must name the context of the prediction, if any', async () => {
    const app = selection();
    const { query } = await app.predict('row', { context: 'user 7' });
    await expect(app.feedback(query, 'good', { context: 'user 8' })).rejects.toThrow(
      'expected "user 7", received "user 8"',
    );
    await app.feedback(query, 'good', { context: 'user 7' });
    const { query: none } = await app.predict('row');
    await expect(app.feedback(none, 'good', { context: 'user 8' })).rejects.toThrow('expected no context');
  });

  it('can be repeated if the state cannot be written', async () => {
    const memory = memoryState();
    let isFull = true;
    const state = {
      read: memory.read,
      update: async (...change: Parameters<typeof memory.update>) => {
        if (isFull) throw new Error('disk full');
        await memory.update(...change);
      },
    };
    const app = selection({ state });
    const { query } = await app.predict('row');
    await expect(app.feedback(query, 'good')).rejects.toThrow('disk full');
    isFull = false;
    await app.feedback(query, 'good');
    expect(app.stats()).toMatchObject({ feedback: 1, refused: 1 });
  });
});

describe('statistics', () => {
  it('estimate what every candidate would have lost', async () => {
    let draw = 0;
    const app = selection({
      candidates: { a: says('good'), b: says('bad') },
      policy: exp3({ eta: 0, explore: 0 }),
      random: () => (draw++ % 2) / 2,
    });
    for (let round = 0; round < 10; round++) await app.feedback((await app.predict('row')).query, 'good');
    // Each is asked 5 times with probability 1/2: b lost 5 / 0.5 = 10, a lost nothing.
    const { loss, regret, candidates: counted } = app.stats();
    expect({ loss, regret }).toEqual({ loss: 0.5, regret: 5 });
    expect(counted).toMatchObject({ a: { asked: 5, loss: 0, totalLoss: 0 }, b: { asked: 5, loss: 1, totalLoss: 10 } });
  });

  it('compare a candidate from its first feedback on', async () => {
    const app = selection({ candidates: { a: says('good'), b: says('good') } });
    const learn = async () => app.feedback((await app.predict('row')).query, 'bad');
    for (let round = 0; round < 10; round++) await learn();
    app.add('c', says('good'));
    await learn();
    expect(app.stats()).toMatchObject({ loss: 1, regret: 0 });
  });
});

describe('a candidate that always fails', () => {
  it('loses its weight, whatever the other candidates lose', async () => {
    let isBroken = false;
    const random = drawing(5);
    const app = selection({
      candidates: { a: () => (isBroken ? (fails as () => Answer)() : { label: 'good' }), b: says('bad') },
      policy: exp3(),
      random,
    });
    const learn = async (truth: string) => app.feedback((await app.predict('row')).query, truth);
    for (let round = 0; round < 1000; round++) await learn('good');
    expect((await app.weights())!.a).toBeGreaterThan(0.9);
    isBroken = true;
    // b also has losses, but less often than a.
    for (let round = 0; round < 1000; round++) await learn(round % 5 < 3 ? 'good' : 'bad');
    expect((await app.weights())!.a).toBeLessThan(0.1);
  });
});

describe('a slow store', () => {
  it('does not delay a prediction beyond its deadline', async () => {
    const clock = new ManualClock();
    const state = { read: () => new Promise<undefined>(() => {}), update: async () => {} };
    const app = selection({ clock, deadlineMs: 20, state });
    const predicting = app.predict('row', { context: 'new' });
    await clock.untilTimer();
    clock.advance(20);
    expect(await predicting).toMatchObject({ answer: { label: 'good' }, isFallback: false });
    expect(clock.timers).toBe(0);
  });
});

describe('log', () => {
  it('has no votes with combine: mean, because a mean is not the answer of a candidate', async () => {
    const lines: string[] = [];
    const app = createSelection<null, number>({
      candidates: { a: () => 10, b: () => 20 },
      combine: 'mean',
      loss: (truth, answer) => Math.abs(truth - answer) / 10,
      log: { write: (line) => lines.push(line) },
    });
    await app.feedback((await app.predict(null)).query, 15);
    expect(JSON.parse(lines[0]!)).not.toHaveProperty('votes');
    await expect(replayFeedback(lines, { policies: { exp4: exp4() } })).rejects.toThrow('expected the votes');
  });

  it('has a line per prediction and per feedback', async () => {
    const lines: string[] = [];
    const app = selection({ log: { write: (line) => lines.push(line) }, features: () => [1, 2], name: 'films' });
    const { query } = await app.predict('row', { context: 'user 7' });
    await app.feedback(query, 'bad');
    const records = lines.map((line): LogRecord => JSON.parse(line));
    expect(records).toEqual([
      {
        kind: 'prediction',
        selection: 'films',
        policy: 'exp4',
        query,
        context: 'user 7',
        features: [1, 2],
        probabilities: { a: 1, b: 1, c: 1 },
        answers: { a: { label: 'good' }, b: { label: 'bad' }, c: { label: 'good' } },
        votes: { a: 'good', b: 'bad', c: 'good' },
        missing: [],
        isFallback: false,
        confidence: 2 / 3,
      },
      { kind: 'feedback', selection: 'films', query, losses: { a: 1, b: 0, c: 1 }, loss: 1 },
    ]);
  });

  it('that fails is counted and fails no prediction', async () => {
    const app = selection({
      log: {
        write: () => {
          throw new Error('closed');
        },
      },
    });
    await app.feedback((await app.predict('row')).query, 'good');
    expect(app.stats()).toMatchObject({ logErrors: 2, feedback: 1 });
  });
});

describe('options', () => {
  it.each([
    [{ polcy: exp3() }, 'expected the option "policy" at createSelection, received the unknown option "polcy"'],
    [{ candidates: { a: 'films' } }, 'expected the option registry at a, received none'],
    [{ candidates: { a: 7 } }, 'expected a reference, a function or an object with predict at a, received number'],
    [{ candidates: { toString: says('x') } }, 'received "toString"'],
    [
      { candidates: { a: 'films' }, registry: { has: () => false } },
      'expected a model of the registry at a, received "films"',
    ],
    [{ loss: 1 }, 'expected a function at loss, received number'],
    [{ leastConfidence: 0.5 }, 'expected the option fallback too at leastConfidence, received undefined'],
    [{ combine: 'median' }, 'expected "vote" or "mean" at combine, received "median"'],
    [{ deadlineMs: -1 }, 'expected deadlineMs from 0 to 2147483647 at createSelection, received -1'],
    [{ missingLoss: 2 }, 'expected missingLoss from 0 to 1 at createSelection, received 2'],
  ])('%j are refused', (options, message) => {
    expect(() => selection(options as never)).toThrow(message);
  });

  it('of predict and feedback are checked', async () => {
    const app = selection();
    await expect(app.predict('row', { contxt: 1 } as never)).rejects.toThrow('the option "context"');
    await expect(app.predict('row', { context: {} as never })).rejects.toThrow('expected a number or a text');
    await expect(app.feedback('x', 'y', { contxt: 1 } as never)).rejects.toThrow('the option "context"');
  });

  it('a policy that selects no candidate, or omits a probability, is rejected', async () => {
    for (const select of [
      () => ({ ask: [], probabilities: {} }),
      () => ({ ask: ['x'], probabilities: { x: 1 } }),
      () => ({ ask: ['a'], probabilities: {} }),
    ])
      await expect(selection({ policy: { ...inOrder, select } }).predict('row')).rejects.toThrow(
        refused('ERR_SELECTION_POLICY'),
      );
  });
});

describe('a clock that jumps', () => {
  it('forgets no query that is young, and forgets all queries at the latest when the clock is right again', async () => {
    let now = 10_000;
    const clock = Object.assign(new ManualClock(), { now: () => now });
    const app = selection({ feedbackMs: 1000, clock });
    const first = await app.predict('row');
    now = 0; // back
    const second = await app.predict('row');
    await app.feedback(first.query, 'good');
    await app.feedback(second.query, 'good');
    const third = await app.predict('row');
    now = 1e9; // forward
    await expect(app.feedback(third.query, 'good')).rejects.toEqual(refused('ERR_SELECTION_QUERY'));
    const fourth = await app.predict('row');
    now = 500; // back again
    await app.feedback(fourth.query, 'good');
    expect(app.stats()).toMatchObject({ feedback: 3, refused: 1, expired: 1, waiting: 0 });
  });
});

describe('hostile rows and truths', () => {
  it('gives an error with a code if features or loss throws, and the query stays open', async () => {
    const app = selection({
      features: (row) => [row.length],
      loss: (truth, answer) => (truth.trim() === answer.label ? 0 : 1),
    });
    await expect(app.predict(null as never)).rejects.toMatchObject({
      ...{ code: 'ERR_SELECTION_FEATURES', statusCode: 400, cause: expect.any(TypeError) },
    });
    const { query } = await app.predict('row');
    await expect(app.feedback(query, null as never)).rejects.toMatchObject({
      ...{ code: 'ERR_SELECTION_LOSS', statusCode: 400, cause: expect.any(TypeError) },
    });
    expect(await app.feedback(query, 'good')).toMatchObject({ loss: 0 });
    expect(app.stats()).toMatchObject({ requests: 1, answered: 1, feedback: 1, refused: 1 });
    expect(app.stats()).toMatchObject({ totalConfidence: 2 / 3, totalLoss: 0 });
  });

  it('knows its queries before and after feedback, until feedbackMs has passed', async () => {
    const clock = new ManualClock();
    const app = selection({ clock, feedbackMs: 1000 });
    const { query } = await app.predict('row');
    expect([app.hasQuery(query), app.hasQuery('__proto__'), selection().hasQuery(query)]).toEqual([true, false, false]);
    await app.feedback(query, 'good');
    expect(app.hasQuery(query)).toBe(true);
    clock.advance(1001);
    expect(app.hasQuery(query)).toBe(false);
  });
});
