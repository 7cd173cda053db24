import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { readFileSync } from 'node:fs';
import * as brezel from 'brezel';
import { expect, test } from 'vitest';
import { ManualClock } from '../../../../testing/manual-clock.js';

const page = readFileSync(new URL('../../../../docs/serving.md', import.meta.url), 'utf8');
/** The code blocks with the titles of their sections. */
const examples = page.split(/^#{1,3} /m).flatMap((section) => {
  const title = section.slice(0, section.indexOf('\n'));
  return [...section.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code]) => [title, code!] as const);
});
const AsyncFunction = (async () => {}).constructor as new (
  ...parts: string[]
) => (...values: unknown[]) => Promise<Record<string, unknown>>;

/**
 * The section whose example has a deadline. The clock of the example stands still, so that the
 * deadline never passes.
 */
const WITH_DEADLINE = 'Protect the service: limits, deadlines, aborts';

/** Runs an example. Returns its variables, and as `printed` what it prints. */
async function run(title: string, code: string): Promise<Record<string, unknown>> {
  const flour = await brezel.createFlour();
  const words = flour.columns({ text: 'string' }).select('text').tokenize();
  const compiled = words
    .wordNgram({ vocabulary: [['good'], ['bad']] })
    .linear({ weights: [1, -1] })
    .plan();
  const printed: unknown[][] = [];
  const print = (...values: unknown[]) => void printed.push(values);
  const runtimes: brezel.Runtime[] = [];
  const createRuntime = (options: brezel.RuntimeOptions) => {
    const clock = title === WITH_DEADLINE ? { clock: new ManualClock() } : {};
    runtimes.push(brezel.createRuntime({ ...clock, ...options }));
    return runtimes.at(-1)!;
  };
  const listeners: Parameters<typeof subscribe>[] = [];
  const listen = (...one: Parameters<typeof subscribe>) => {
    listeners.push(one);
    subscribe(...one);
  };
  const given = { ...brezel, subscribe: listen, createRuntime, flour, compiled, console: { log: print, error: print } };
  const declared = [...code.matchAll(/^const (?:\{ ([^}]*) \}|(\w+))/gm)].flatMap(([, several, one]) =>
    several === undefined ? [one!] : several.split(', '),
  );
  const names = Object.keys(given).filter((name) => !declared.includes(name));
  const body = `"use strict"; ${code.replace(/^import .*$/gm, '')}; return { ${declared.join(', ')} };`;
  const named = await new AsyncFunction(...names, body)(...names.map((name) => given[name as keyof typeof given]));
  for (const one of listeners) unsubscribe(...one);
  for (const runtime of runtimes) await runtime.close();
  compiled.release();
  flour.dispose();
  return { ...named, printed };
}

const wanted: Record<string, (named: Record<string, unknown>) => void> = {
  Serving: ({ plan }) => expect(plan).toMatchObject({ width: 1 }),
  'Start: open, register, warm': ({ plan, rows }) => {
    expect(plan).toMatchObject({ name: 'sentiment' });
    expect(rows).toHaveLength(2);
  },
  [WITH_DEADLINE]: ({ printed }) => expect(printed).toEqual([]),
  'Stop calling a failing plan: quarantine': (named) =>
    expect(named).toMatchObject({ answered: 1, refused: 0, failed: 0, quarantined: 0, printed: [] }),
  'Measure: latencies, event-loop lag, channels': (named) => {
    expect(named.samples).toBe(1);
    expect(named.max).toBeGreaterThan(0);
    expect(named.stages).toMatchObject(Array(2).fill({ nanoseconds: { samples: 1 } }));
    expect(named.lag).toMatchObject({ p50: expect.any(Number) });
  },
  'Count unusual inputs: data quality': (named) => expect(named).toMatchObject({ rows: 1, values: 1, missing: 0 }),
  'Stop: unregister and close': ({ output }) => expect(output).toEqual([1]),
  'Answer many rows: executors': ({ answers, shared, reserved }) => {
    expect(answers).toEqual([1, -1, 1].map((score) => ({ output: [score] })));
    expect(shared).toMatchObject({ limit: brezel.loadNative().addon === undefined ? 0 : 2 });
    expect(reserved).toEqual([]);
  },
  'Memory of the executors': ({ shared, reserved }) => {
    expect(shared).toMatchObject({ perClass: 8, maxBytes: 64 * 2 ** 20 });
    expect(reserved).toMatchObject(brezel.loadNative().addon === undefined ? [] : [{ maxBytes: 2 ** 30 }]);
  },
  'Answer rows in columns: predictColumns': ({ output }) => expect(output).toEqual(Float32Array.of(1, -1)),
  'Answer an endless source: streams': ({ printed }) =>
    expect(printed).toEqual([[{ output: [1] }], [{ output: [-1] }]]),
  'Gather single rows: delayed batching': ({ answers }) =>
    expect(answers).toEqual([1, -1, 1].map((score) => ({ output: [score] }))),
  'Skip repeated rows: the prediction cache': (named) =>
    expect(named).toMatchObject({ hits: 1, misses: 1, entries: 1 }),
  'Run shared stages once: materialization': (named) =>
    expect(named).toMatchObject({ stages: 1, hits: 2, misses: 1, evictions: 0, bytes: expect.any(Number) }),
  'Send one row to several models: predictMany': ({ answers, same, lists }) => {
    expect(answers).toEqual([1, 1].map((score) => ({ output: [score] })));
    expect(lists).toEqual([1, 1].map(() => [1, -1].map((score) => ({ output: [score] }))));
    expect(same).toEqual(answers);
  },
  'Row by row or in blocks: the engine': ({ printed }) =>
    expect(printed).toEqual([
      ['request-response', 'few rows of little work'],
      ['batch', 'requested'],
    ]),
};

test('every example has a check', () => expect(examples.map(([title]) => title)).toEqual(Object.keys(wanted)));
test.each(examples)('%s', async (title, code) => wanted[title]!(await run(title, code)));
