import { type Block, BrezelError } from '@brezel/core';
import { runtimeError, runtimeErrors } from '../../errors.js';
import { type Answer, answerFromBlocks, answerFromNumbers, numbersFromBlocks } from '../../execute/answers/answers.js';
import { checkOut } from '../../execute/answers/out-array.js';
import type { JavaScriptEngines } from '../../execute/javascript-engines.js';
import type { RowKernels } from '../../execute/native/native-kernels.js';
import { runRow } from '../../execute/native/request-response.js';
import type { Row } from '../../execute/rows/row-schema.js';
import type { PlanRecord } from '../../plans/plan-record.js';
import type { ServedPlan } from '../../plans/registered-plan.js';
import { observesSync, PredictionTrace, traceOf } from '../../telemetry/prediction-trace.js';
import type { Group, Member, PlanSet } from './plan-sets.js';

/** The engines that run plans and merged plans for `predictMany`. */
export interface FanOutEngines extends JavaScriptEngines {
  readonly kernels: RowKernels | undefined;
  /**
   * Runs one row of a native plan and writes its values to `numbers`. If the runtime measures
   * stages, it measures a sample of these calls.
   */
  nativeRow(plan: ServedPlan, row: Row, numbers: Float64Array): void;
  /** Runs one row of a plan that is not native. Returns one block for each output. */
  javascriptRow(plan: ServedPlan, row: Row): Block[];
}

/** Answers one row with every plan of a set. */
export function answerMany(set: PlanSet, row: Row, engines: FanOutEngines): Answer[] {
  const answers = new Array<Answer>(set.plans.length);
  for (const group of set.groups) observed(group, () => answerGroup(group, row, engines, answers));
  return answers;
}

/**
 * Answers one row with the plans of one group. Stores each answer in `answers`, at the index of its
 * plan.
 */
export function answerGroup(group: Group, row: Row, engines: FanOutEngines, answers: Answer[]): void {
  const answerOf = runGroup(group, row, engines);
  for (const member of group.members) answers[member.planIndex] = answerOf(member);
}

/** Writes the answers of all plans into an out-array, in the order of the plans. */
export function writeMany({ groups, width }: PlanSet, row: Row, engines: FanOutEngines, out: Float64Array): void {
  for (const group of groups) observed(group, () => writeGroup(group, row, engines, out, width));
}

/** Runs a group, and reports the run as a prediction of each of its plans. */
function observed({ record, members }: Group, run: () => void): void {
  if (!observesSync(members[0]!.plan)) return run();
  new PredictionTrace(record, 'predictMany', 1, undefined, [...plansOf(members)]).around(run);
}

/** Returns the trace of a group for an asynchronous call. The trace starts when the call starts. */
export const traceOfGroup = ({ record, members }: Group, rows: number): PredictionTrace | undefined =>
  traceOf(record, 'predictMany', rows, undefined, [...plansOf(members)]);

/** Runs the merged plan of a group, and returns a function that reads the answer of a member. */
function runGroup(group: Group, row: Row, engines: FanOutEngines): (member: Member) => Answer {
  const { record } = group;
  return naming(group, row, engines, () => {
    if (record.planHandle !== undefined) {
      engines.nativeRow(record, row, record.numbers);
      return ({ plan, firstNumber }) => answerFromNumbers(plan.outputs, record.numbers, firstNumber);
    }
    const blocks = engines.javascriptRow(record, row);
    return ({ plan: { outputs }, firstOutput }) =>
      answerFromBlocks(outputs, blocks.slice(firstOutput, firstOutput + outputs.length), 0);
  });
}

/**
 * Writes the answers of one group into the out-array.
 * @param width the number of values that all groups together write
 */
function writeGroup(group: Group, row: Row, engines: FanOutEngines, out: Float64Array, width: number): void {
  const { record, members } = group;
  naming(group, row, engines, () => {
    if (record.planHandle !== undefined) {
      engines.nativeRow(record, row, record.numbers);
      checkOut(out, width, 'predictManySync');
      for (const { plan, firstNumber, start } of members) copy(record.numbers, firstNumber, plan.width, out, start);
      return;
    }
    const blocks = engines.javascriptRow(record, row);
    checkOut(out, width, 'predictManySync');
    for (const { plan, firstOutput, start } of members) {
      const own = blocks.slice(firstOutput, firstOutput + plan.outputs.length);
      try {
        numbersFromBlocks(plan.outputs, own, 0, out, start);
      } catch (error) {
        throw withPlan(error, plan.name);
      }
    }
  });
}

/**
 * Copies numbers in a loop. The method `set` would need a new view of the array at every
 * prediction.
 */
function copy(from: Float64Array, first: number, count: number, to: Float64Array, start: number): void {
  for (let at = 0; at < count; at++) to[start + at] = from[first + at]!;
}

/**
 * Runs a merged plan. If the merged plan throws, runs the plans separately, and throws the error of
 * the plan that fails. Only the failing plan counts the failure.
 */
function naming<T>({ members, counters }: Group, row: Row, engines: FanOutEngines, run: () => T): T {
  const plans = plansOf(members);
  enterAll(plans);
  try {
    const answer = run();
    for (const { guard } of plans) guard.succeeded();
    for (const counter of counters) counter.answered(row);
    return answer;
  } catch (error) {
    if (isOutputError(error)) {
      for (const { guard } of plans) guard.failed(error);
      throw error;
    }
    const found = failureOf(plans, row, engines);
    for (const plan of plans) {
      if (plan === found?.plan) plan.guard.failed(found.error);
      else plan.guard.left();
    }
    throw found === undefined ? error : withPlan(found.error, found.plan.name);
  }
}

const isOutputError = (error: unknown): boolean => error instanceof BrezelError && error.code === 'ERR_RUNTIME_OUTPUT';

/** Returns the plans of members. A plan that the caller passed twice is in the set once. */
export const plansOf = (members: readonly Member[]): Set<PlanRecord> => new Set(members.map(({ plan }) => plan));

/**
 * Starts a call on every plan. If a plan is in quarantine, ends the calls that were started before,
 * and throws the error of the quarantine.
 */
export function enterAll(plans: ReadonlySet<PlanRecord>): void {
  const entered: PlanRecord[] = [];
  try {
    for (const plan of plans) {
      plan.guard.enter();
      entered.push(plan);
    }
  } catch (error) {
    for (const { guard } of entered) guard.left();
    throw error;
  }
}

/** Runs the plans separately until one fails. Returns this plan and its error. */
export function failureOf(plans: ReadonlySet<PlanRecord>, row: Row, engines: FanOutEngines) {
  for (const plan of plans) {
    try {
      if (plan.planHandle !== undefined) runRow(plan, row, plan.numbers, engines.kernels!);
      else engines.javascriptRow(plan, row);
    } catch (error) {
      return { plan, error };
    }
  }
  return undefined;
}

/** Returns an error of the runtime with the name of a plan. Returns other errors unchanged. */
export function withPlan(error: unknown, plan: string): unknown {
  const isOurs = error instanceof BrezelError && error.code in runtimeErrors;
  if (!isOurs || error.details.at?.endsWith(`plan ${plan}`)) return error;
  const at = error.details.at === undefined ? `plan ${plan}` : `${error.details.at}, plan ${plan}`;
  return runtimeError(error.code as keyof typeof runtimeErrors, { ...error.details, at, cause: error });
}
