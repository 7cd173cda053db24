import { checkArray } from '../../execute/rows/row-errors.js';
import type { PlanRecord } from '../../plans/plan-record.js';
import type { RegisteredPlan, ServedPlan } from '../../plans/registered-plan.js';
import { StageClocks } from '../../telemetry/stage-clocks.js';
import type { FeatureParts } from '../feature.js';
import { type MergedStages, mergePlans } from './merged-stages.js';

/** A plan of a set, and the location of its answer in the answer of its group. */
export interface Member {
  readonly plan: PlanRecord;
  /** Index of the plan in the caller's list. */
  readonly planIndex: number;
  readonly firstOutput: number;
  readonly firstNumber: number;
  /** Index of the plan's first number in the caller's out-array. */
  readonly start: number;
}

/** Some plans of a set that run as one merged plan. */
export interface Group {
  readonly record: ServedPlan;
  readonly members: readonly Member[];
  /** Features of the plans that must be notified of answered rows. Few plans have such features. */
  readonly counters: readonly Required<Pick<FeatureParts, 'answered' | 'answeredRows'>>[];
}

/**
 * Plans that answer one row together, in the order of the caller. Brezel merges them into groups.
 * Each group runs as one plan.
 */
export interface PlanSet {
  readonly plans: readonly RegisteredPlan[];
  readonly groups: readonly Group[];
  /** The number of values in all answers to one row. */
  readonly width: number;
}

/** The functions of the runtime with which plan sets find plans and link merged plans. */
export interface Linker {
  /**
   * Returns the record of a registered plan.
   * @throws ERR_RUNTIME_UNKNOWN_PLAN
   */
  recordOf(plan: RegisteredPlan): PlanRecord;
  /**
   * Links a merged plan to its stages, so that it can run. `first` is one of the original plans,
   * which all read rows in the same way.
   */
  link(merged: MergedStages, first: PlanRecord): ServedPlan;
  unlink(record: ServedPlan): void;
}

/**
 * The maximal number of cached plan sets. Applications usually use few different sets repeatedly,
 * such as the arms of an A/B test.
 */
const MOST_SETS = 64;
const NAMES_SHOWN = 3;
/**
 * The maximal estimated nanoseconds of a group of several plans, because the event loop cannot run
 * while a group runs.
 */
const GROUP_NANOS = 500_000;
/**
 * The maximal number of plans in a group. It keeps groups short if the estimated times of the plans
 * are too low.
 */
const MOST_PLANS = 64;

/**
 * Caches linked plan sets, and evicts the least recently used sets. When a plan is removed, every
 * set with this plan is dropped.
 */
export class PlanSets {
  readonly #linker: Linker;
  #sets: PlanSet[] = [];
  /**
   * Evicted sets that a running call may still use. A getter of the call's row may itself call
   * `predictMany` with other plans, and so evict the set of the running call.
   */
  #evicted: PlanSet[] = [];
  #uses = 0;
  /** The number of asynchronous calls that use each set. */
  readonly #held = new Map<PlanSet, number>();

  constructor(linker: Linker) {
    this.#linker = linker;
  }

  /**
   * Returns the linked set of some plans from the cache, or links a new one.
   * @throws ERR_RUNTIME_UNKNOWN_PLAN; after an error, nothing is linked
   */
  of(plans: readonly RegisteredPlan[]): PlanSet {
    checkArray(plans, 'plans', 'predictMany');
    const [last] = this.#sets;
    if (last !== undefined && isSame(last.plans, plans)) return last;
    const found = this.#sets.find((set) => isSame(set.plans, plans)) ?? this.#make(plans);
    this.#sets = [found, ...this.#sets.filter((set) => set !== found)];
    this.#evicted.push(...this.#sets.splice(MOST_SETS));
    if (this.#uses === 0) this.#unlinkEvicted();
    return found;
  }

  /**
   * Returns the linked set of plans. The set stays linked until `leave`, or until one of the plans
   * is removed. `enter` and `leave` are separate methods, because a callback would allocate a
   * closure at every prediction.
   */
  enter(plans: readonly RegisteredPlan[]): PlanSet {
    const set = this.of(plans);
    this.#uses++;
    return set;
  }

  leave(): void {
    if (--this.#uses === 0 && this.#evicted.length > 0) this.#unlinkEvicted();
  }

  /**
   * Returns the linked set of plans for an asynchronous call. The set stays linked until `release`,
   * or until one of the plans is removed.
   */
  hold(plans: readonly RegisteredPlan[]): PlanSet {
    const set = this.of(plans);
    this.#held.set(set, (this.#held.get(set) ?? 0) + 1);
    return set;
  }

  release(set: PlanSet): void {
    const others = this.#held.get(set)! - 1;
    if (others > 0) {
      this.#held.set(set, others);
      return;
    }
    this.#held.delete(set);
    if (this.#uses === 0) this.#unlinkEvicted();
  }

  /** Drops all sets that contain a plan. Call this method before the plan is removed. */
  forget(plan: ServedPlan): void {
    const isGone = ({ plans }: PlanSet) => plans.includes(plan);
    const gone = [...this.#sets, ...this.#evicted].filter(isGone);
    if (gone.length === 0) return;
    this.#sets = this.#sets.filter((set) => !isGone(set));
    this.#evicted = this.#evicted.filter((set) => !isGone(set));
    for (const { groups } of gone) {
      for (const { record, members } of groups) if (members.length > 1) record.gone = plan.gone;
      this.#unlink(groups);
    }
  }

  #unlinkEvicted(): void {
    const unused = this.#evicted.filter((set) => !this.#held.has(set));
    this.#evicted = this.#evicted.filter((set) => this.#held.has(set));
    for (const { groups } of unused) this.#unlink(groups);
  }

  #make(registered: readonly RegisteredPlan[]): PlanSet {
    const plans = Array.from(registered); // a hole in the list becomes an unknown plan
    const byKind = new Map<string, Member[]>();
    let width = 0;
    plans.forEach((plan, planIndex) => {
      const record = this.#linker.recordOf(plan);
      const members = byKind.get(kindOf(record)) ?? [];
      byKind.set(kindOf(record), members);
      members.push({ plan: record, planIndex, firstOutput: 0, firstNumber: 0, start: width });
      width += record.width;
    });
    return { plans, groups: this.#link([...byKind.values()]), width };
  }

  #link(all: readonly (readonly Member[])[]): Group[] {
    const groups: Group[] = [];
    try {
      for (const members of all.flatMap(inPieces)) {
        const [{ plan }] = members as [Member];
        const records = members.map((member) => member.plan);
        const record = members.length === 1 ? plan : this.#merged(records);
        groups.push({ record, members, counters: countersOf(new Set(records)) });
      }
      return groups;
    } catch (error) {
      this.#unlink(groups);
      throw error;
    }
  }

  #merged(plans: readonly PlanRecord[]): ServedPlan {
    const merged = mergePlans(nameOf(plans), plans);
    const record = this.#linker.link(merged, plans[0]!);
    const sampleEvery = plans[0]!.stageTimes?.sampleEvery;
    if (sampleEvery !== undefined) record.stageClocks = mergedClocks(merged, sampleEvery);
    return record;
  }

  #unlink(groups: readonly Group[]): void {
    for (const { record, members } of groups) if (members.length > 1) this.#linker.unlink(record);
  }
}

const countersOf = (plans: ReadonlySet<PlanRecord>): Group['counters'] =>
  [...plans].flatMap(({ features }) => features).filter((feature) => feature.answered !== undefined) as never;

/**
 * Returns clocks that measure merged stages. A shared stage runs once, but each plan that uses it
 * counts the whole time of the stage.
 */
function mergedClocks({ stages, users }: MergedStages, sampleEvery: number): StageClocks {
  const places = stages.map((held, at) => ({ times: [...users[at]!].map(({ stageTimes }) => stageTimes!.of(held)) }));
  return new StageClocks(places, sampleEvery);
}

/**
 * Divides plans into groups, so that no group blocks the event loop for long. A stage that several
 * groups use runs once in each of these groups.
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

/**
 * Returns the estimated nanoseconds that a plan adds to its group: the time of its stages whose
 * keys are not in `known`.
 */
function nanosOfNew({ compiled, nanosPerRow }: PlanRecord, known: ReadonlySet<string>): number {
  const stages = compiled.stages.filter(({ stage }) => !known.has(stage.key));
  const nanoseconds = stages.reduce((sum, { marks }) => sum + marks.nanosPerRow, 0);
  // scales the estimate to the engine of the plan
  return (nanoseconds * nanosPerRow) / Math.max(1, compiled.nanosPerRow);
}

/**
 * Returns a key that is equal for plans that can be merged: plans that accept the same rows and run
 * in the same engine.
 */
const kindOf = ({ inputs, maxInputBytes, ignoresExtraFields, engine }: PlanRecord): string =>
  JSON.stringify([engine, maxInputBytes, ignoresExtraFields, inputs]);

const isSame = (one: readonly RegisteredPlan[], other: readonly RegisteredPlan[]): boolean =>
  one.length === other.length && one.every((plan, at) => plan === other[at]);

function nameOf(plans: readonly PlanRecord[]): string {
  const names = plans.slice(0, NAMES_SHOWN).map(({ name }) => name);
  const more = plans.length - names.length;
  return more > 0 ? `${names.join(' + ')} + ${more} more` : names.join(' + ');
}
