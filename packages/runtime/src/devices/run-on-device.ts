import { setMaxListeners } from 'node:events';
import { setImmediate as turnOfTheEventLoop } from 'node:timers/promises';
import type { Column, Row } from '../admission.js';
import type { Answer } from '../answers.js';
import { answerFromBlocks } from '../answers.js';
import { admitBlocks, type BatchWatch, BLOCK_ROWS } from '../engines/batch.js';
import type { ServedPlan } from '../registered-plan.js';
import { Arrivals } from './arrivals.js';
import type { DevicePlan } from './device-plan.js';

/** So many rows are on their way at once, in calls of the device: while one runs the next are made ready. */
const CALLS_AHEAD = 3;

/** Answers many rows by way of a device, several blocks at once, so that they gather there. All rows are checked before the first is answered. */
export async function runOnDevice(
  plan: ServedPlan,
  rows: readonly Row[],
  engine: DevicePlan,
  watch: BatchWatch,
  first = 0,
): Promise<Answer[]> {
  const { blockRows, maxBatch } = engine;
  const blocks = await admitBlocks(plan, rows.slice(), watch, first, blockRows);
  const rowsOf = (at: number) => Math.min(blockRows, rows.length - at * blockRows);
  const arrivals = blocks.map((_, at) => new Arrivals(engine.stages, rowsOf(at)));
  const answers = new Array<Answer[]>(blocks.length);
  let next = 0;
  let answered = 0;
  const faults: { readonly at: number; readonly error: unknown }[] = [];
  using ended = ownSignal(watch.limits?.signal);
  const { signal } = ended;
  const block = async (columns: readonly Column[], at: number) => {
    const check = () => watch.check(answered);
    check();
    const call = {
      signal,
      remainingMs: watch.limits?.remainingMs,
      check,
      arrivals: arrivals[at],
      requestRows: rows.length,
    };
    const outputs = await engine.plan.runLater(columns, rowsOf(at), first + at * blockRows, call);
    answers[at] = Array.from({ length: rowsOf(at) }, (_, row) => answerFromBlocks(plan.outputs, outputs, row));
    answered += rowsOf(at);
  };
  const lane = async () => {
    while (next < blocks.length && faults.length === 0) {
      const at = next++;
      if (at > 0) await turnOfTheEventLoop();
      try {
        await block(blocks[at]!, at);
      } catch (error) {
        faults.push({ at, error });
      } finally {
        arrivals[at]!.end();
      }
    }
  };
  const lanes = Math.min(blocks.length, Math.ceil((CALLS_AHEAD * Math.max(maxBatch, BLOCK_ROWS)) / blockRows));
  try {
    await Promise.all(Array.from({ length: lanes }, lane));
    // Blocks before a faulty one had begun, and were waited for: the first faulty row of all is told.
    const [earliest] = faults.sort((one, other) => one.at - other.at);
    if (earliest !== undefined) throw earliest.error;
  } finally {
    for (const one of arrivals) one.end();
  }
  watch.check(answered);
  return answers.flat();
}

/** One listener of the caller's signal for all blocks of a call: more than a few make Node warn of a leak. */
function ownSignal(signal: AbortSignal | undefined): Disposable & { readonly signal: AbortSignal | undefined } {
  if (signal === undefined) return { signal, [Symbol.dispose]: () => undefined };
  const own = new AbortController();
  setMaxListeners(0, own.signal);
  const abort = () => own.abort(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  return { signal: own.signal, [Symbol.dispose]: () => signal.removeEventListener('abort', abort) };
}
