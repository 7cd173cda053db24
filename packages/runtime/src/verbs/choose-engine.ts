import { type EngineChoice, type EngineName, unknownEngine } from '../execute/engine-name.js';
import type { PlanRecord } from '../plans/plan-record.js';
import type { ServedPlan } from '../plans/registered-plan.js';

/**
 * A row of `predict` runs immediately if its estimated time is at most this many nanoseconds. A
 * longer row waits for a separate turn of the event loop, or runs on another thread.
 */
const LONG_NANOS = 1e6;
/** Returns whether the estimated time of a row is too long to run the row immediately. */
export const isLong = ({ nanosPerRow }: ServedPlan): boolean => nanosPerRow > LONG_NANOS;

/**
 * With the engine `auto`, a row of `predict` may arrive while other rows are queued. It then runs
 * immediately only if its estimated time is at most this many nanoseconds.
 */
const LONG_UNDER_LOAD_NANOS = 1e5;
/**
 * With the engine `auto`, a batch runs row by row if it has at most `FEW_ROWS` rows and at most
 * `LITTLE_NANOS` nanoseconds of estimated work. Creating blocks takes about 2 µs for each call, and
 * saves time for each row. In measurements with text and linear plans, blocks were faster from 16
 * to 64 rows on.
 */
const FEW_ROWS = 16;
const LITTLE_NANOS = 5e4;

const ISOLATED = 'an operator with a deadline';

/**
 * Returns the reason why a feature of the plan queues every row of `predict`, or undefined. The
 * function uses a loop, because it runs at each call.
 */
function queuesBecause({ features }: PlanRecord): string | undefined {
  for (let index = 0; index < features.length; index++) {
    const reason = features[index]!.queuesBecause;
    if (reason !== undefined) return reason;
  }
  return undefined;
}

/** The reason in `EngineChoice` for rows that do not run on the calling thread. */
const ELSEWHERE = 'another thread or a device runs it, or part of it';

/**
 * Selects the engine with which `predict` answers a row.
 * @throws ERR_RUNTIME_ENGINE
 */
export function rowEngine(plan: PlanRecord, call: EngineName | undefined, queuedRows: number): EngineChoice {
  const asked = call ?? plan.answersBy;
  const expectedNanoseconds = plan.nanosPerRow;
  const choice = (engine: 'request-response' | 'batch' | 'worker', reason: string): EngineChoice => ({
    asked,
    engine,
    reason,
    expectedNanoseconds,
    queuedRows,
  });
  if (plan.isolated !== undefined) return choice('worker', ISOLATED);
  if (asked === 'request-response') return choice('request-response', 'requested');
  if (asked !== undefined && asked !== 'batch' && asked !== 'auto')
    throw unknownEngine('request-response, batch or auto', asked);
  const waits = queuesBecause(plan);
  if (waits !== undefined) return choice('batch', waits);
  if (plan.execute.runsElsewhere(1)) return choice('batch', ELSEWHERE);
  if (asked === 'batch') return choice('batch', 'requested');
  if (isLong(plan)) return choice('batch', 'a long row');
  if (asked === undefined || queuedRows === 0 || expectedNanoseconds <= LONG_UNDER_LOAD_NANOS)
    return choice('request-response', 'a short row');
  return choice('batch', 'other rows wait');
}

/**
 * Checks the option `engine` of a call with many rows.
 * @throws ERR_RUNTIME_ENGINE
 */
export function checkBatchEngine(engine: EngineName | undefined): void {
  if (engine === undefined || engine === null) return; // the engine of the registration
  if (!BATCH_ENGINES.includes(engine)) throw unknownBatchEngine(engine);
}

const BATCH_ENGINES: readonly EngineName[] = ['request-response', 'batch', 'auto', 'reference'];
const unknownBatchEngine = (received: unknown) => unknownEngine('request-response, batch, auto or reference', received);

/**
 * Selects the engine with which `predictBatch` answers its rows.
 * @throws ERR_RUNTIME_ENGINE
 */
export function batchEngine(
  plan: PlanRecord,
  call: EngineName | undefined,
  rows: number,
  queuedRows: number,
): EngineChoice {
  const asked = call ?? plan.answersBy;
  const expectedNanoseconds = rows * plan.nanosPerRow;
  const choice = (engine: EngineChoice['engine'], reason: string): EngineChoice => ({
    asked,
    engine,
    reason,
    expectedNanoseconds,
    queuedRows,
  });
  if (plan.isolated !== undefined && asked !== 'reference') return choice('worker', ISOLATED);
  switch (asked) {
    case undefined:
      return choice('batch', 'the default');
    case 'request-response':
    case 'batch':
    case 'reference':
      return choice(asked, 'requested');
    case 'auto':
      if (plan.execute.runsElsewhere(rows)) return choice('batch', ELSEWHERE);
      if (rows > FEW_ROWS) return choice('batch', 'many rows');
      if (expectedNanoseconds > LITTLE_NANOS) return choice('batch', 'much work');
      return choice('request-response', 'few rows of little work');
    default:
      throw unknownBatchEngine(asked);
  }
}
