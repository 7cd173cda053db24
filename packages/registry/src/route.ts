import type {
  Answer,
  CallOptions,
  ContributionOptions,
  Contributions,
  RegisteredPlan,
  Row,
  Runtime,
  StageDescription,
} from '@brezel/runtime';
import type { Target } from './models.js';
import { type BatchCallOptions, checkRegistryOptions, type VersionDescription, verbOptions } from './options.js';
import type { Requests } from './requests.js';
import type { Version } from './version.js';

/** The version that answers one request, and the objects that its methods use. */
export interface ChosenVersion {
  readonly target: Target;
  readonly version: Version;
  readonly requests: Requests;
  readonly runtime: Runtime;
}

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
  readonly #chosen: ChosenVersion;

  constructor(chosen: ChosenVersion) {
    this.version = chosen.version.reference;
    this.#chosen = chosen;
  }

  /** The inputs and outputs of the version, or undefined while it is not loaded. */
  get description(): VersionDescription | undefined {
    const { plan } = this.#chosen.version;
    return plan === undefined ? undefined : descriptionOf(this.version, plan);
  }

  /**
   * Loads the version if it is not loaded. Returns its inputs and outputs. The options limit the
   * wait; the load continues for other requests.
   */
  async load(options: CallOptions = {}): Promise<VersionDescription> {
    checkRegistryOptions(options, verbOptions.predict, 'load');
    const { version, requests } = this.#chosen;
    return descriptionOf(this.version, await requests.load(version, options));
  }

  /** Answers one row, as `PlanRegistry.predict`. It throws the same errors. */
  async predict(row: Row, options: CallOptions = {}): Promise<Answer> {
    checkRegistryOptions(options, verbOptions.predict, 'predict');
    return answerRow(this.#chosen, row, options);
  }

  /** Answers many rows in order, as `PlanRegistry.predictBatch`. It throws the same errors. */
  async predictBatch(rows: readonly Row[], options: BatchCallOptions = {}): Promise<Answer[]> {
    checkRegistryOptions(options, verbOptions.predictBatch, 'predictBatch');
    return answerRows(this.#chosen, rows, options);
  }

  /**
   * Explains the answer to one row, as `Runtime.contributions`. It loads the version if it is not
   * loaded, and is not counted as a request.
   */
  async contributions(row: Row, options: ContributionOptions = {}): Promise<Contributions> {
    const { version, requests, runtime } = this.#chosen;
    return requests.examine(version, (plan) => runtime.contributions(plan, row, options));
  }

  /** Returns the stages of the version, as `Runtime.stages`. It loads the version if necessary. */
  async stages(): Promise<StageDescription[]> {
    const { version, requests, runtime } = this.#chosen;
    return requests.examine(version, (plan) => runtime.stages(plan));
  }
}

/** Answers one row on the chosen version. The options are checked. */
export async function answerRow(
  { target, version, requests, runtime }: ChosenVersion,
  row: Row,
  options: CallOptions,
): Promise<Answer> {
  const run = (plan: RegisteredPlan, rest?: CallOptions) => runtime.predict(plan, row, rest);
  const answer = await requests.serve(version, options, run);
  target.shadow?.offerRow(version, row, answer, 0);
  return answer;
}

/** Answers many rows in order on the chosen version. The options are checked. */
export async function answerRows(
  { target, version, requests, runtime }: ChosenVersion,
  rows: readonly Row[],
  options: BatchCallOptions,
): Promise<Answer[]> {
  const { engine } = options;
  const run = (plan: RegisteredPlan, rest?: CallOptions) =>
    runtime.predictBatch(plan, rows, { ...(engine && { engine }), ...rest });
  const answers = await requests.serve(version, options, run);
  target.shadow?.offerRows(version, rows, answers);
  return answers;
}

/** Returns the description of a loaded version for callers. */
export function descriptionOf(version: string, plan: RegisteredPlan): VersionDescription {
  const { inputs, outputs, width, engine } = plan;
  return { version, inputs, outputs, width, engine, jsonSchema: (options) => plan.jsonSchema(options) };
}
