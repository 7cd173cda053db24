import type { Answer, CallOptions, RegisteredPlan, Row, Runtime } from '@brezel/runtime';
import type { Target } from './models.js';
import { type BatchCallOptions, checkRegistryOptions, type VersionDescription, verbOptions } from './options.js';
import type { Requests } from './requests.js';
import type { Version } from './version.js';

/**
 * The version that answers one request, chosen by `PlanRegistry.route`. Servers use it: they need
 * the inputs of the version before they can read the request, and its name for the response.
 *
 * The verbs behave as the verbs of the registry: a canary or a moved alias does not change the
 * version of the route, and the shadow of the alias compares the answers.
 */
export class Route {
  /** The version as `name@version`. */
  readonly version: string;
  readonly #target: Target;
  readonly #version: Version;
  readonly #requests: Requests;
  readonly #runtime: Runtime;

  constructor(target: Target, version: Version, requests: Requests, runtime: Runtime) {
    this.version = version.reference;
    this.#target = target;
    this.#version = version;
    this.#requests = requests;
    this.#runtime = runtime;
  }

  /** The inputs and outputs of the version, or undefined while it is not loaded. */
  get description(): VersionDescription | undefined {
    const { plan } = this.#version;
    return plan === undefined ? undefined : descriptionOf(this.version, plan);
  }

  /**
   * Loads the version if it is not loaded. Returns its inputs and outputs. The options limit the
   * wait; the load continues for other requests.
   */
  async load(options: CallOptions = {}): Promise<VersionDescription> {
    checkRegistryOptions(options, verbOptions.predict, 'load');
    return descriptionOf(this.version, await this.#requests.load(this.#version, options));
  }

  /** Answers one row, as `PlanRegistry.predict`. It throws the same errors. */
  async predict(row: Row, options: CallOptions = {}): Promise<Answer> {
    checkRegistryOptions(options, verbOptions.predict, 'predict');
    const run = (plan: RegisteredPlan, rest?: CallOptions) => this.#runtime.predict(plan, row, rest);
    const answer = await this.#requests.serve(this.#version, options, run);
    this.#target.shadow?.offerRow(this.#version, row, answer, 0);
    return answer;
  }

  /** Answers many rows in order, as `PlanRegistry.predictBatch`. It throws the same errors. */
  async predictBatch(rows: readonly Row[], options: BatchCallOptions = {}): Promise<Answer[]> {
    checkRegistryOptions(options, verbOptions.predictBatch, 'predictBatch');
    const { engine } = options;
    const run = (plan: RegisteredPlan, rest?: CallOptions) =>
      this.#runtime.predictBatch(plan, rows, { ...(engine && { engine }), ...rest });
    const answers = await this.#requests.serve(this.#version, options, run);
    this.#target.shadow?.offerRows(this.#version, rows, answers);
    return answers;
  }
}

/** Returns what callers may know of a loaded version. */
export function descriptionOf(version: string, plan: RegisteredPlan): VersionDescription {
  const { inputs, outputs, width, engine } = plan;
  return { version, inputs, outputs, width, engine, jsonSchema: (options) => plan.jsonSchema(options) };
}
