import type { Block } from '@brezel/core';
import {
  type Answer,
  answerFromBlocks,
  answerFromNumbers,
  numbersFromBlocks,
  type RowValues,
} from '../../execute/answers.js';
import { BLOCK_ROWS } from '../../execute/batch.js';
import type { JavaScriptPlan } from '../../execute/javascript-plan.js';
import type { NativeKernels } from '../../execute/native/native-kernels.js';
import { runRows } from '../../execute/native/request-response.js';
import type { Column } from '../../execute/row-schema.js';
import type { ServedPlan } from '../../plans/registered-plan.js';
import { sampled } from '../../telemetry/stage-clocks.js';
import { blockBytes, rowOf } from './cached-blocks.js';

/**
 * An engine whose answers can be kept: it runs a block of rows, and what it kept of a row makes the same answer again, as often as asked, each time
 * an object of its own.
 */
export interface KeepingEngine<Kept extends object> {
  /** Runs a block of rows, of which the first has the number `first`; `check` is called between stages in JavaScript. The next run writes over what it gives. */
  run(columns: readonly Column[], rows: number, first: number, check?: () => void): RowValues;
  /** What a run of the plan, here or elsewhere, left of row `row`, as a copy. */
  keep(values: RowValues, row: number): Kept;
  bytesOf(kept: Kept): number;
  answer(kept: Kept): Answer;
  /** The answer into an out-array. */
  write(kept: Kept, out: Float64Array): void;
}

/** The engine of a plan: the addon where it is native. @param fallback how JavaScript runs it, made when it is needed. */
export function keepingEngine(
  plan: ServedPlan,
  kernels: NativeKernels | undefined,
  fallback: () => JavaScriptPlan,
): KeepingEngine<object> {
  // What an engine kept goes back to the same engine only.
  const engine = plan.native === undefined ? javaScriptEngine(plan, fallback) : nativeEngine(plan, kernels!);
  return engine as KeepingEngine<never> as KeepingEngine<object>;
}

/** Answers of the addon, kept as their numbers. */
function nativeEngine(plan: ServedPlan, kernels: NativeKernels): KeepingEngine<readonly number[]> {
  const { width, outputs } = plan;
  let block = plan.numbers; // longer ones are made for the first batch
  const write = (kept: readonly number[], out: Float64Array) => {
    for (let at = 0; at < width; at++) out[at] = kept[at]!;
  };
  return {
    run(columns, rows, first) {
      if (rows * width > block.length) block = new Float64Array(BLOCK_ROWS * width);
      sampled(plan, rows, (nanoseconds) => runRows(plan, columns, rows, block, kernels, first, nanoseconds));
      return block;
    },
    keep(values, row) {
      const numbers = values as Float64Array;
      const kept: number[] = [];
      for (let at = row * width; at < (row + 1) * width; at++) kept.push(numbers[at]!);
      return kept;
    },
    bytesOf: () => width * 8,
    answer(kept) {
      write(kept, plan.numbers);
      return answerFromNumbers(outputs, plan.numbers, 0);
    },
    write,
  };
}

/** Answers of JavaScript engines, kept as blocks of one row. */
function javaScriptEngine(plan: ServedPlan, engine: () => JavaScriptPlan): KeepingEngine<readonly Block[]> {
  return {
    run(columns, rows, first, check) {
      const interpreted = engine();
      return sampled(plan, rows, (clock) =>
        clock ? interpreted.runTimed(columns, rows, clock, first, check) : interpreted.run(columns, rows, first, check),
      );
    },
    keep: (values, row) => (values as readonly Block[]).map((block) => rowOf(block, row)),
    bytesOf: (kept) => kept.reduce((sum, block) => sum + blockBytes(block), 0),
    answer: (kept) => answerFromBlocks(plan.outputs, kept, 0),
    write: (kept, out) => numbersFromBlocks(plan.outputs, kept, 0, out, 0),
  };
}
