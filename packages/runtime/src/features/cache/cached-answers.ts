import type { Block } from '@brezel/core';
import { numbersFromBlocks, type RowValues } from '../../execute/answers/answers.js';
import { BLOCK_ROWS } from '../../execute/batch.js';
import { copyRow } from '../../execute/block-rows.js';
import type { JavaScriptEngine } from '../../execute/javascript-engine.js';
import type { RowKernels } from '../../execute/native/native-kernels.js';
import { runRows } from '../../execute/native/request-response.js';
import type { Column } from '../../execute/rows/row-schema.js';
import type { ServedPlan } from '../../plans/registered-plan.js';
import { sampled } from '../../telemetry/stage-clocks.js';
import { blockBytes } from './block-bytes.js';

/**
 * Runs a plan, copies its answers for a cache, and converts cached answers to values again. A
 * cached answer can be converted any number of times.
 */
export interface CachingEngine<Cached extends object> {
  /**
   * Runs a block of rows. `first` is the index of the block's first row in the request. `check` is
   * called between stages in JavaScript. The next run overwrites the result.
   */
  run(columns: readonly Column[], rows: number, first: number, check?: () => void): RowValues;
  /**
   * Copies the answer of row `row` for the cache. The values may come from this thread or from
   * another thread.
   */
  copyOf(values: RowValues, row: number): Cached;
  bytesOf(cached: Cached): number;
  /** Returns a cached answer as values of one row. The next call overwrites these values. */
  values(cached: Cached): RowValues;
  /** Writes a cached answer into an out-array. */
  write(cached: Cached, out: Float64Array): void;
}

/**
 * Returns the caching engine of a plan: kernels for a plan with a handle, otherwise JavaScript.
 * @param javascript creates the JavaScript engine on first use
 */
export function cachingEngine(
  plan: ServedPlan,
  kernels: RowKernels | undefined,
  javascript: () => JavaScriptEngine,
): CachingEngine<object> {
  // Only the engine that created a cached value reads it, so the type is correct.
  const engine = plan.planHandle === undefined ? javaScriptEngine(plan, javascript) : nativeEngine(plan, kernels!);
  return engine as CachingEngine<never> as CachingEngine<object>;
}

/** Returns the caching engine of a plan with a handle. Its cached answers are lists of numbers. */
function nativeEngine(plan: ServedPlan, kernels: RowKernels): CachingEngine<readonly number[]> {
  const { width } = plan;
  let block = plan.numbers; // the first batch allocates a longer array
  const write = (cached: readonly number[], out: Float64Array) => {
    for (let at = 0; at < width; at++) out[at] = cached[at]!;
  };
  return {
    run(columns, rows, first) {
      if (rows * width > block.length) block = new Float64Array(BLOCK_ROWS * width);
      sampled(plan, rows, (nanoseconds) => runRows(plan, columns, rows, block, kernels, first, nanoseconds));
      return block;
    },
    copyOf(values, row) {
      const cached: number[] = [];
      if (values instanceof Float64Array) {
        for (let at = row * width; at < (row + 1) * width; at++) cached.push(values[at]!);
        return cached;
      }
      // A worker thread without memory for the plan in WebAssembly answers with blocks.
      numbersFromBlocks(plan.outputs, values, row, plan.numbers, 0);
      for (let at = 0; at < width; at++) cached.push(plan.numbers[at]!);
      return cached;
    },
    bytesOf: () => width * 8,
    values(cached) {
      write(cached, plan.numbers);
      return plan.numbers;
    },
    write,
  };
}

/** Returns the caching engine of a plan in JavaScript. Its cached answers are blocks of one row. */
function javaScriptEngine(plan: ServedPlan, engine: () => JavaScriptEngine): CachingEngine<readonly Block[]> {
  return {
    run(columns, rows, first, check) {
      const interpreted = engine();
      return sampled(plan, rows, (clock) =>
        clock ? interpreted.runTimed(columns, rows, clock, first, check) : interpreted.run(columns, rows, first, check),
      );
    },
    copyOf: (values, row) => (values as readonly Block[]).map((block) => copyRow(block, row)),
    bytesOf: (cached) => cached.reduce((sum, block) => sum + blockBytes(block), 0),
    values: (cached) => cached,
    write: (cached, out) => numbersFromBlocks(plan.outputs, cached, 0, out, 0),
  };
}
