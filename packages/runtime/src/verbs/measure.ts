import type { ObjectStore } from '@brezel/object-store';
import { type Answer, answerFromNumbers } from '../execute/answers/answers.js';
import type { NativeKernels } from '../execute/native/native-kernels.js';
import { runRow } from '../execute/native/request-response.js';
import { admit, type Row } from '../execute/rows/row-schema.js';
import { stageBytes } from '../execute/stages/stage-bytes.js';
import type { Materialization } from '../features/cache/materialization.js';
import { checkRuntimeOptions } from '../option-names.js';
import { isolatedError } from '../parallel/isolated/isolated-plan.js';
import { checkServed, type RegisteredPlan } from '../plans/registered-plan.js';
import {
  type PlanProfile,
  type ProfileOptions,
  type ProfileSubject,
  profileOptionNames,
  profilePlan,
} from '../telemetry/profile.js';
import type { Serving } from './serving.js';
import { type WarmOptions, type WarmUpReport, warmOptionNames, warmPlan } from './warm.js';

/** The parts of a runtime that profiling and warm-up use. */
export interface Measured {
  readonly store: ObjectStore;
  readonly isa: string | undefined;
  readonly materialization: Materialization | undefined;
}

/** Implements `runtime.profile`. */
export async function profileRows(
  serving: Serving,
  measured: Measured,
  plan: RegisteredPlan,
  rows: readonly Row[],
  options: ProfileOptions,
): Promise<PlanProfile> {
  checkRuntimeOptions(options, profileOptionNames, 'profile');
  const subject = profileSubject(serving, measured, plan, options.blockRows === 1);
  const measure = () => profilePlan(subject, rows, options);
  return measured.materialization === undefined ? measure() : measured.materialization.aside(measure);
}

function profileSubject(
  { live, engines }: Serving,
  { store, isa }: Measured,
  plan: RegisteredPlan,
  single: boolean,
): ProfileSubject {
  const record = live.record(plan);
  if (record.isolated !== undefined) throw isolatedError(record, 'profile');
  return {
    record,
    store,
    isa,
    check: (all) => void engines.executeRows(record, all),
    answer: (block) => {
      live.record(plan); // throws if the plan was removed between two repetitions
      if (single) return [engines.executeRow(record, block[0]!) as Answer];
      return engines.executeRows(record, block);
    },
    answerTimed: (block, nanoseconds) => {
      live.record(plan);
      if (!single || record.planHandle === undefined) return engines.executeRows(record, block, nanoseconds);
      runRow(record, block[0]!, record.numbers, engines.kernels!, nanoseconds);
      return [answerFromNumbers(record.outputs, record.numbers, 0)];
    },
    bytes: (sample) => {
      const columns = admit(record, sample);
      checkServed(record);
      const slots = engines.forBytes(record).runToSlots(columns, sample.length);
      return stageBytes(record.compiled, slots, sample.length);
    },
  };
}

/** Implements `runtime.warm`. */
export async function warmRegistered(
  { live, engines, executors }: Serving,
  native: NativeKernels | undefined,
  plan: RegisteredPlan,
  options: WarmOptions,
): Promise<WarmUpReport> {
  checkRuntimeOptions(options, warmOptionNames, 'warm');
  const record = live.record(plan);
  if (record.isolated !== undefined) throw isolatedError(record, 'warm');
  for (const feature of record.features) await feature.open?.();
  live.checkThere(record); // throws if the plan was removed meanwhile
  return warmPlan(record, native, executors, options, {
    row: (row) => void engines.executeRow(record, row),
    javaScript: () => void engines.javascript(record),
    stillThere: () => live.checkThere(record),
  });
}
