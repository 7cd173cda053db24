import { type Clock, type QualityStatistics, within } from '@brezel/core';
import type { RegisteredPlan, RegisterOptions } from '@brezel/runtime';
import { Quarantine, type QuarantineLimits } from '@brezel/runtime';
import { versionReference } from './reference.js';
import type { PlanSource } from './source.js';

export interface VersionParts {
  readonly name: string;
  readonly version: string;
  /**
   * The source from which the plan is loaded. Undefined if the version was added with a compiled
   * plan, which stays loaded.
   */
  readonly source: PlanSource | undefined;
  readonly isPinned: boolean;
  readonly register: Omit<RegisterOptions, 'name'>;
  readonly quarantine: QuarantineLimits;
  readonly clock: Clock;
}

/** One version of a model: its source, its plan while it is loaded, and its requests in flight. */
export class Version {
  readonly name: string;
  readonly version: string;
  /** The version as `name@version`. */
  readonly reference: string;
  readonly source: PlanSource | undefined;
  readonly register: Omit<RegisterOptions, 'name'>;
  readonly quarantine: Quarantine;
  readonly #clock: Clock;
  isPinned: boolean;
  plan: RegisteredPlan | undefined;
  /** The load in progress, if any. */
  loading: Promise<RegisteredPlan> | undefined;
  /** Notifies the source that the registry has released the plan. */
  unloaded: (() => void) | undefined;
  /**
   * Always undefined, because only aliases have shadows. With this field, code can read `shadow` of
   * a version or an alias without a test.
   */
  readonly shadow = undefined;
  /** Whether the version was removed, so that new requests are rejected. */
  isLeaving = false;
  /**
   * Whether the removal has ended: all requests were answered, or the timeout has passed. Requests
   * that still wait then fail.
   */
  isGone = false;
  /** Rejects the current load for the requests that wait for it, when the version is removed. */
  abandon: (() => void) | undefined;
  /**
   * The number of the version's last request. The registry numbers the requests of all versions
   * together, so the version with the smallest number is the least recently used version.
   */
  lastUse = 0;
  requests = 0;
  failures = 0;
  loads = 0;
  unloads = 0;
  /** Counters of data quality of earlier loads. */
  quality: QualityStatistics | undefined;
  /** Bytes of the version's parameters at its last load. */
  parameterBytes = 0;
  inFlight = 0;
  #whenIdle: (() => void)[] = [];

  constructor(parts: VersionParts) {
    this.name = parts.name;
    this.version = parts.version;
    this.reference = versionReference(parts.name, parts.version);
    this.source = parts.source;
    this.isPinned = parts.isPinned;
    this.register = parts.register;
    this.quarantine = new Quarantine(parts.quarantine, parts.clock);
    this.#clock = parts.clock;
  }

  /** Returns this version for every key, because only an alias can have a canary. */
  pick(): Version {
    return this;
  }

  /**
   * Whether the plan can be unloaded now. A plan without a source stays loaded, because it could
   * not be loaded again.
   */
  get canUnload(): boolean {
    return this.source !== undefined && this.plan !== undefined && !this.isPinned && this.inFlight === 0;
  }

  leave(): void {
    if (--this.inFlight > 0) return;
    for (const resolve of this.#whenIdle.splice(0)) resolve();
  }

  /**
   * Waits until no request is in flight, or until the timeout passes. Returns whether no request is
   * in flight.
   */
  async idle(timeoutMs: number): Promise<boolean> {
    if (this.inFlight === 0) return true;
    const idle = new Promise<true>((resolve) => this.#whenIdle.push(() => resolve(true)));
    return (await within(this.#clock, timeoutMs, idle)) ?? false;
  }
}
