import type { AnswerColumns, ColumnsOfRows } from '@brezel/core';
import {
  type Answer,
  type BatchOptions,
  type CallOptions,
  type ContributionOptions,
  type Contributions,
  type ExplainedAnswer,
  type RegisteredPlan,
  type Row,
  type Runtime,
  type StageDescription,
  type WithContributions,
  wantsContributions,
} from '@brezel/runtime';
import type { Target } from './models.js';
import {
  type BatchCallOptions,
  checkRegistryOptions,
  type RowCallOptions,
  type VersionDescription,
  verbOptions,
} from './options.js';
import type { Requests } from './requests.js';
import type { Version } from './version.js';

/**
 * A version that was chosen for one request, and the objects with which its methods run the
 * request.
 */
export interface ChosenVersion {
  readonly target: Target;
  readonly version: Version;
  readonly requests: Requests;
  readonly runtime: Runtime;
}

/**
 * The version that answers one request, chosen by `PlanRegistry.route`. A server uses a route,
 * because it needs the inputs of the version to read a request, and the name of the version for the
 * response.
 *
 * The methods behave like the methods of the registry, but always use this version, even if the
 * alias moves. A shadow of the alias also runs the rows.
 */
export class Route {
  /** The version as `name@version`. */
  readonly version: string;
  readonly #chosen: ChosenVersion;

  constructor(chosen: ChosenVersion) {
    this.version = chosen.version.reference;
    this.#chosen = chosen;
  }

  /** The inputs and outputs of the version, or undefined while the version is not loaded. */
  get description(): VersionDescription | undefined {
    const { plan } = this.#chosen.version;
    return plan === undefined ? undefined : descriptionOf(this.version, plan);
  }

  /**
   * Loads the version if it is not loaded. Returns its inputs and outputs. The options limit the
   * wait; the load continues for other requests.
   */
  async load(options: CallOptions = {}): Promise<VersionDescription> {
    checkRegistryOptions(options, verbOptions.load, 'load');
    const { version, requests } = this.#chosen;
    return descriptionOf(this.version, await requests.load(version, options));
  }

  /** Answers one row like `PlanRegistry.predict`, and throws the same errors. */
  predict(row: Row, options: CallOptions & WithContributions): Promise<ExplainedAnswer>;
  predict(row: Row, options?: RowCallOptions): Promise<Answer>;
  async predict(row: Row, options: RowCallOptions | WithContributions = {}): Promise<Answer | ExplainedAnswer> {
    checkRegistryOptions(options, verbOptions.predict, 'predict');
    return answerRow(this.#chosen, row, options);
  }

  /** Answers many rows in order like `PlanRegistry.predictBatch`, and throws the same errors. */
  predictBatch(
    rows: readonly Row[],
    options: Omit<BatchCallOptions, 'contributions'> & WithContributions,
  ): Promise<ExplainedAnswer[]>;
  predictBatch(rows: readonly Row[], options?: BatchCallOptions): Promise<Answer[]>;
  async predictBatch(
    rows: readonly Row[],
    options: BatchCallOptions | WithContributions = {},
  ): Promise<(Answer | ExplainedAnswer)[]> {
    checkRegistryOptions(options, verbOptions.predictBatch, 'predictBatch');
    return answerRows(this.#chosen, rows, options);
  }

  /** Whether a shadow of the alias also runs the rows. */
  get hasShadow(): boolean {
    return this.#chosen.target.shadow !== undefined;
  }

  /**
   * Answers rows in columns like `Runtime.predictColumns`. Loads the version if necessary. The call
   * is counted as one request. A shadow does not receive the rows: see `hasShadow`.
   */
  async predictColumns(columns: ColumnsOfRows<Row>, options: BatchOptions = {}): Promise<AnswerColumns> {
    checkRegistryOptions(options, verbOptions.predictColumns, 'predictColumns');
    const { version, requests, runtime } = this.#chosen;
    const { engine } = options;
    return requests.serve(version, options, (plan, rest) =>
      runtime.predictColumns(plan, columns, { ...(engine && { engine }), ...rest }),
    );
  }

  /**
   * Explains the answer to one row like `Runtime.contributions`. Loads the version if necessary.
   * The call is not counted as a request.
   */
  async contributions(row: Row, options: ContributionOptions = {}): Promise<Contributions> {
    const { version, requests, runtime } = this.#chosen;
    return requests.examine(version, (plan) => runtime.contributions(plan, row, options));
  }

  /** Returns the stages of the version like `Runtime.stages`. Loads the version if necessary. */
  async stages(): Promise<StageDescription[]> {
    const { version, requests, runtime } = this.#chosen;
    return requests.examine(version, (plan) => runtime.stages(plan));
  }
}

/**
 * Answers one row on the chosen version. The caller has already checked the options. A shadow
 * receives the answer without its explanation.
 */
export async function answerRow(
  { target, version, requests, runtime }: ChosenVersion,
  row: Row,
  options: RowCallOptions | WithContributions,
): Promise<Answer | ExplainedAnswer> {
  const serve = <One>(run: (plan: RegisteredPlan, rest?: CallOptions) => Promise<One>) =>
    requests.serve(version, options as CallOptions, run);
  if (wantsContributions(options)) {
    const { contributions } = options;
    const explained = await serve((plan, rest) => runtime.predict(plan, row, { ...rest, contributions }));
    target.shadow?.offerRow(version, row, explained.answer, 0);
    return explained;
  }
  const answer = await serve((plan, rest) => runtime.predict(plan, row, rest));
  target.shadow?.offerRow(version, row, answer, 0);
  return answer;
}

/**
 * Answers many rows in order on the chosen version. The caller has already checked the options. A
 * shadow receives the answers without their explanations.
 */
export async function answerRows(
  { target, version, requests, runtime }: ChosenVersion,
  rows: readonly Row[],
  options: BatchCallOptions | WithContributions,
): Promise<(Answer | ExplainedAnswer)[]> {
  const { engine } = options as BatchCallOptions;
  const serve = <One>(run: (plan: RegisteredPlan, rest: object) => Promise<One>) =>
    requests.serve(version, options as CallOptions, (plan, rest) => run(plan, { ...(engine && { engine }), ...rest }));
  if (wantsContributions(options)) {
    const { contributions } = options;
    const explained = await serve((plan, rest) => runtime.predictBatch(plan, rows, { ...rest, contributions }));
    target.shadow?.offerRows(
      version,
      rows,
      explained.map(({ answer }) => answer),
    );
    return explained;
  }
  const answers = await serve((plan, rest) => runtime.predictBatch(plan, rows, rest));
  target.shadow?.offerRows(version, rows, answers);
  return answers;
}

/**
 * The descriptions of plans, cached because a server reads one for each request. A plan belongs to
 * one version.
 */
const descriptions = new WeakMap<RegisteredPlan, VersionDescription>();

/**
 * Describes a loaded version: its inputs, outputs and engine. Returns the same object for each call
 * with one plan.
 */
export function descriptionOf(version: string, plan: RegisteredPlan): VersionDescription {
  const known = descriptions.get(plan);
  if (known !== undefined) return known;
  const { inputs, outputs, width, engine } = plan;
  const description = Object.freeze<VersionDescription>({
    version,
    inputs,
    outputs,
    width,
    engine,
    jsonSchema: (options) => plan.jsonSchema(options),
  });
  descriptions.set(plan, description);
  return description;
}
