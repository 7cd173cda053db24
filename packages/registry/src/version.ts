import { type Clock, type QualityStatistics, within } from '@brezel/core';
import type { RegisteredPlan, RegisterOptions } from '@brezel/runtime';
import { Quarantine, type QuarantineLimits } from '@brezel/runtime';
import { versionReference } from './reference.js';
import type { PlanSource } from './source.js';

export interface VersionParts {
  readonly name: string;
  readonly version: string;
  /** Undefined if the version has a plan that stays loaded. */
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
  /** Notifies the source when the plan is released. */
  unloaded: (() => void) | undefined;
  /**
   * Versions have no shadow. The field exists so that V8 gives versions and aliases one hidden
   * class.
   */
  readonly shadow = undefined;
  /** Whether the version was removed, so that new requests are rejected. */
  isLeaving = false;
  /** Whether the timeout of the removal has passed. Waiting requests then get an error. */
  isGone = false;
  /** Ends the wait of requests for the current load. */
  abandon: (() => void) | undefined;
  /**
   * The number of the version's last request. The registry numbers the requests of all versions.
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

  /** Returns this version for every key, because a reference to a version has no canary. */
  pick(): Version {
    return this;
  }

  /** Whether the plan can be unloaded now, and loaded again later. */
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
