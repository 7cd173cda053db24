import { type Clock, within } from '@brezel/core';
import type { RegisteredPlan, RegisterOptions } from '@brezel/runtime';
import { Quarantine, type QuarantineLimits } from '@brezel/runtime';
import { versionReference } from './reference.js';
import type { PlanSource } from './source.js';

export interface VersionParts {
  readonly name: string;
  readonly version: string;
  /** Undefined for a plan that stays loaded. */
  readonly source: PlanSource | undefined;
  readonly isPinned: boolean;
  readonly register: Omit<RegisterOptions, 'name'>;
  readonly quarantine: QuarantineLimits;
  readonly clock: Clock;
}

/** One version of a model: where it comes from, its plan while it is loaded, and who uses it. */
export class Version {
  readonly name: string;
  readonly version: string;
  /** `name@version`. */
  readonly reference: string;
  readonly source: PlanSource | undefined;
  readonly register: Omit<RegisterOptions, 'name'>;
  readonly quarantine: Quarantine;
  readonly #clock: Clock;
  isPinned: boolean;
  plan: RegisteredPlan | undefined;
  /** While it loads. */
  loading: Promise<RegisteredPlan> | undefined;
  /** What the source wants to be told when the plan goes. */
  unloaded: (() => void) | undefined;
  /** What aliases may have, and versions have not. */
  readonly shadow = undefined;
  /** Removed: no request comes in any more. */
  isLeaving = false;
  /** Its time to finish is over: whoever still waits gets an error. */
  isGone = false;
  /** Ends the waiting for a load. */
  abandon: (() => void) | undefined;
  /** Number of the last request, counted over the registry. */
  lastUse = 0;
  requests = 0;
  failures = 0;
  loads = 0;
  unloads = 0;
  /** Bytes of its parameters when it was last loaded. */
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

  /** A reference to a version means it, whoever asks. */
  pick(): Version {
    return this;
  }

  /** Whether its plan may go now, and come back. */
  get canUnload(): boolean {
    return this.source !== undefined && this.plan !== undefined && !this.isPinned && this.inFlight === 0;
  }

  leave(): void {
    if (--this.inFlight > 0) return;
    for (const resolve of this.#whenIdle.splice(0)) resolve();
  }

  /** Waits until no request is in flight, or the time is over; tells which. */
  async idle(timeoutMs: number): Promise<boolean> {
    if (this.inFlight === 0) return true;
    const idle = new Promise<true>((resolve) => this.#whenIdle.push(() => resolve(true)));
    return (await within(this.#clock, timeoutMs, idle)) ?? false;
  }
}
