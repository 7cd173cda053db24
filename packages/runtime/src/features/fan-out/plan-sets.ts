import { runtimeError } from '../../errors.js';
import type { PlanRecord } from '../../plans/plan-record.js';
import type { RegisteredPlan, ServedPlan } from '../../plans/registered-plan.js';
import { StageClocks } from '../../telemetry/stage-clocks.js';
import { type MergedStages, mergePlans } from './merged-stages.js';

/** A plan of a set, and the position of its answer in its group. */
export interface Member {
  readonly plan: PlanRecord;
  /** Index in the list of the caller. */
  readonly place: number;
  readonly firstOutput: number;
  readonly firstNumber: number;
  /** Index of its first number in the out-array of the caller. */
  readonly start: number;
}

/** Plans of a set that run as one merged plan. */
export interface Group {
  readonly record: ServedPlan;
  readonly members: readonly Member[];
}

/**
 * Plans that answer one row together, in the order of the caller, in as few merged plans as
 * possible.
 */
export interface PlanSet {
  readonly plans: readonly RegisteredPlan[];
  readonly groups: readonly Group[];
  /** The number of values of all answers to one row. */
  readonly width: number;
}

/** Makes merged plans runnable. */
export interface Linker {
  /** @throws ERR_RUNTIME_UNKNOWN_PLAN */
  recordOf(plan: RegisteredPlan): PlanRecord;
  link(merged: MergedStages, maxInputBytes: number): ServedPlan;
  unlink(record: ServedPlan): void;
}

/**
 * The largest number of plan sets that stay linked. A/B arms and ensembles call the same set
 * repeatedly.
 */
const MOST_SETS = 64;
const NAMES_SHOWN = 3;
/** The longest estimated time of a group, because a group runs without a pause. */
const GROUP_NANOS = 500_000;
/** The largest number of plans in a group, because estimates may be too low. */
const MOST_PLANS = 64;

/**
 * A cache of linked plan sets with the most recently used ones. A set is dropped with the first of
 * its plans.
 */
export class PlanSets {
  readonly #linker: Linker;
  #sets: PlanSet[] = [];

  constructor(linker: Linker) {
    this.#linker = linker;
  }

  /**
   * Returns the linked set of plans.
   * @throws ERR_RUNTIME_UNKNOWN_PLAN; then nothing is linked.
   */
  of(plans: readonly RegisteredPlan[]): PlanSet {
    if (!Array.isArray(plans)) throw runtimeError('ERR_RUNTIME_INPUT', { expected: 'an array of plans' });
    const [last] = this.#sets;
    if (last !== undefined && isSame(last.plans, plans)) return last;
    const found = this.#sets.find((set) => isSame(set.plans, plans)) ?? this.#make(plans);
    this.#sets = [found, ...this.#sets.filter((set) => set !== found)];
    for (const old of this.#sets.splice(MOST_SETS)) this.#unlink(old.groups);
    return found;
  }

  /** Drops all sets of a plan before the plan is removed. */
  forget(plan: RegisteredPlan): void {
    const gone = this.#sets.filter(({ plans }) => plans.includes(plan));
    if (gone.length === 0) return;
    this.#sets = this.#sets.filter((set) => !gone.includes(set));
    for (const { groups } of gone) this.#unlink(groups);
  }

  #make(given: readonly RegisteredPlan[]): PlanSet {
    const plans = Array.from(given); // a hole becomes an unknown plan
    const byKind = new Map<string, Member[]>();
    let width = 0;
    plans.forEach((plan, place) => {
      const record = this.#linker.recordOf(plan);
      const members = byKind.get(kindOf(record)) ?? [];
      byKind.set(kindOf(record), members);
      members.push({ plan: record, place, firstOutput: 0, firstNumber: 0, start: width });
      width += record.width;
    });
    return { plans, groups: this.#link([...byKind.values()]), width };
  }

  #link(all: readonly (readonly Member[])[]): Group[] {
    const groups: Group[] = [];
    try {
      for (const members of all.flatMap(inPieces)) {
        const [{ plan }] = members as [Member];
        const records = members.map((one) => one.plan);
        const record = members.length === 1 ? plan : this.#merged(records, plan.maxInputBytes);
        groups.push({ record, members });
      }
      return groups;
    } catch (error) {
      this.#unlink(groups);
      throw error;
    }
  }

  #merged(plans: readonly PlanRecord[], maxInputBytes: number): ServedPlan {
    const merged = mergePlans(nameOf(plans), plans);
    const record = this.#linker.link(merged, maxInputBytes);
    const sampleEvery = plans[0]!.stageTimes?.sampleEvery;
    if (sampleEvery !== undefined) record.stageClocks = mergedClocks(merged, sampleEvery);
    return record;
  }

  #unlink(groups: readonly Group[]): void {
    for (const { record, members } of groups) if (members.length > 1) this.#linker.unlink(record);
  }
}

/**
 * Returns the clocks of merged stages. A shared stage runs once, and its whole time counts for each
 * of its plans.
 */
function mergedClocks({ stages, users }: MergedStages, sampleEvery: number): StageClocks {
  const places = stages.map((held, at) => ({ times: [...users[at]!].map(({ stageTimes }) => stageTimes!.of(held)) }));
  return new StageClocks(places, sampleEvery);
}

/**
 * Splits plans into groups, so that no group blocks the event loop for long. A stage that several
 * groups share runs once in each.
 */
function inPieces(members: readonly Member[]): Member[][] {
  const pieces: Member[][] = [];
  let known = new Set<string>();
  let nanoseconds = 0;
  for (const member of members) {
    const before = pieces.at(-1);
    const more = before === undefined ? 0 : nanosOfNew(member.plan, known);
    if (before === undefined || nanoseconds + more > GROUP_NANOS || before.length === MOST_PLANS) {
      known = new Set();
      nanoseconds = member.plan.nanosPerRow;
      pieces.push([{ ...member, firstOutput: 0, firstNumber: 0 }]);
    } else {
      const { plan, firstOutput, firstNumber } = before.at(-1)!;
      before.push({
        ...member,
        firstOutput: firstOutput + plan.outputs.length,
        firstNumber: firstNumber + plan.width,
      });
      nanoseconds += more;
    }
    for (const { stage } of member.plan.compiled.stages) known.add(stage.key);
  }
  return pieces;
}

/** Returns the estimated time of the stages that a group does not run yet. */
function nanosOfNew({ compiled, nanosPerRow }: PlanRecord, known: ReadonlySet<string>): number {
  const stages = compiled.stages.filter(({ stage }) => !known.has(stage.key));
  const nanoseconds = stages.reduce((sum, { marks }) => sum + marks.nanosPerRow, 0);
  // scaled to the engine of the plan
  return (nanoseconds * nanosPerRow) / Math.max(1, compiled.nanosPerRow);
}

/** Returns the kind of a plan. Plans of one kind take the same rows in the same engine. */
const kindOf = ({ inputs, maxInputBytes, engine }: PlanRecord): string =>
  JSON.stringify([engine, maxInputBytes, inputs]);

const isSame = (one: readonly RegisteredPlan[], other: readonly RegisteredPlan[]): boolean =>
  one.length === other.length && one.every((plan, at) => plan === other[at]);

function nameOf(plans: readonly PlanRecord[]): string {
  const names = plans.slice(0, NAMES_SHOWN).map(({ name }) => name);
  const more = plans.length - names.length;
  return more > 0 ? `${names.join(' + ')} + ${more} more` : names.join(' + ');
}
