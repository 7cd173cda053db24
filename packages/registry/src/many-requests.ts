import type { Answer, CallOptions, EngineName, RegisteredPlan, Row, Runtime } from '@brezel/runtime';
import { failedPlansOf, isPlanFailure } from '@brezel/runtime';
import { registryError } from './errors.js';
import { RequestDeadline } from './request-deadline.js';
import type { Requests } from './requests.js';
import type { ChosenVersion } from './route.js';
import type { Version } from './version.js';

/** The options of `predictManyBatch` whose names are checked, without the key. */
export type ManyCallOptions = CallOptions & { readonly engine?: EngineName };

/** Answers the same rows with several chosen versions. */
export async function answerManyRows(
  chosen: readonly ChosenVersion[],
  rows: readonly Row[],
  options: ManyCallOptions,
  { runtime, requests }: { readonly runtime: Runtime; readonly requests: Requests },
): Promise<Answer[][]> {
  const { engine, ...limits } = options;
  const deadline = RequestDeadline.of('predictManyBatch', limits, runtime.clock);
  const versions = [...new Set(chosen.map(({ version }) => version))];
  const call = new ManyRequest(requests, versions);
  call.enter();
  try {
    // no `await` if all plans are loaded: the rows are copied before the caller continues
    const plans = call.loadedPlans() ?? (await call.load(deadline));
    const listed = chosen.map(({ version }) => plans.get(version)!);
    const answers = await call.run(deadline, () =>
      runtime.predictManyBatch(listed, rows, { ...(engine && { engine }), ...deadline?.rest }),
    );
    chosen.forEach(({ target, version }, at) => target.shadow?.offerRows(version, rows, answers[at]!));
    return answers;
  } finally {
    call.leave();
  }
}

/** One request to several versions. Each version counts it as one request. */
class ManyRequest {
  readonly #requests: Requests;
  readonly #versions: readonly Version[];

  constructor(requests: Requests, versions: readonly Version[]) {
    this.#requests = requests;
    this.#versions = versions;
  }

  /** Starts the request on every version, or on none. */
  enter(): void {
    const entered: Version[] = [];
    try {
      for (const version of this.#versions) {
        this.#requests.enter(version);
        entered.push(version);
      }
    } catch (error) {
      for (const version of entered) {
        version.quarantine.leave();
        version.leave();
      }
      throw error;
    }
    for (const version of this.#versions) version.requests++;
  }

  /** Returns the plans if all are loaded, and none is loaded again after a quarantine. */
  loadedPlans(): ReadonlyMap<Version, RegisteredPlan> | undefined {
    const plans = new Map<Version, RegisteredPlan>();
    for (const version of this.#versions) {
      if (version.plan === undefined || version.quarantine.isResting) return undefined;
      plans.set(version, version.plan);
    }
    return plans;
  }

  /**
   * Loads the versions that are not loaded. If the load of a version fails, the request ends. The
   * other loads continue for other requests.
   */
  async load(deadline: RequestDeadline | undefined): Promise<ReadonlyMap<Version, RegisteredPlan>> {
    const loads = this.#versions.map(
      async (version) => [version, await this.#requests.planOf(version, deadline)] as const,
    );
    const ended = await Promise.allSettled(loads);
    const plans = new Map<Version, RegisteredPlan>();
    for (const load of ended) if (load.status === 'fulfilled') plans.set(...load.value);
    const failure = ended.find((load) => load.status === 'rejected');
    if (failure === undefined) return plans;
    // the other versions have neither failed nor answered
    for (const version of plans.keys()) version.quarantine.leave();
    throw failure.reason;
  }

  /** Runs the request and counts its outcome. */
  async run<T>(deadline: RequestDeadline | undefined, run: () => Promise<T>): Promise<T> {
    try {
      const answers = await run();
      for (const version of this.#versions) this.#requests.succeeded(version);
      return answers;
    } catch (error) {
      throw deadline?.isOver(error) === true ? this.#canceled(error) : this.#failed(error);
    }
  }

  leave(): void {
    for (const version of this.#versions) version.leave();
  }

  #canceled(error: unknown): unknown {
    for (const { quarantine } of this.#versions) quarantine.leave();
    return error;
  }

  /** Only the versions whose plans have failed count the failure. */
  #failed(error: unknown): unknown {
    const gone = this.#versions.find((version) => this.#requests.wasTakenAway(version, error));
    const failed = new Set(gone === undefined && isPlanFailure(error) ? failedPlansOf(error) : []);
    for (const version of this.#versions) {
      if (version.plan !== undefined && failed.has(version.plan)) this.#requests.failureOf(version, error);
      else version.quarantine.leave();
    }
    return gone === undefined ? error : registryError('ERR_REGISTRY_REMOVED', { at: gone.reference, cause: error });
  }
}
