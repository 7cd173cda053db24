import type { Answer, ModelRegistry, Route, VersionDescription } from 'brezel';
import { areNumbers, columnsOf, outputOfColumn } from './columns.js';
import { type OutputTensor, outputTensor, requestedPorts } from './outputs.js';
import type { InferenceRequest } from './request.js';
import { checkedInputs, rowsOf } from './rows.js';

/** Deadline, signal and canary key of one request. */
export interface RequestLimits {
  readonly deadlineMs: number | undefined;
  readonly key: string | number | undefined;
  readonly signal: AbortSignal;
}

/**
 * The loaded version that answers one request, its description, and the options of the prediction:
 * the time left until the deadline, and the signal.
 */
export interface ReadyRoute {
  readonly route: Route;
  readonly description: VersionDescription;
  readonly options: { readonly deadlineMs?: number; readonly signal?: AbortSignal };
}

/**
 * Chooses the version of a request and loads it if necessary. The time of the load is subtracted
 * from the deadline.
 */
export async function readyRoute(
  registry: ModelRegistry,
  reference: string,
  { deadlineMs, key, signal }: RequestLimits,
): Promise<ReadyRoute> {
  const route = registry.route(reference, key === undefined ? undefined : { key });
  const limits = { ...(deadlineMs !== undefined && { deadlineMs }), signal };
  if (route.description !== undefined) return { route, description: route.description, options: limits };
  const start = performance.now();
  const description = await route.load(limits);
  if (deadlineMs === undefined) return { route, description, options: limits };
  return { route, description, options: timeLeft({ deadlineMs, signal }, start) };
}

/**
 * Returns the options of a later prediction of the same request: the time since `start` is
 * subtracted from the deadline.
 *
 * @param start the time at which `options` were valid, from `performance.now()`
 */
export function timeLeft(options: ReadyRoute['options'], start: number): ReadyRoute['options'] {
  const { deadlineMs } = options;
  if (deadlineMs === undefined) return options;
  return { ...options, deadlineMs: Math.max(Number.MIN_VALUE, deadlineMs - (performance.now() - start)) };
}

/**
 * Answers the tensors of a request.
 *
 * @param isBinary whether the response contains all elements as bytes. The elements of an output
 * can then be a typed array, whose numbers are exact and not the shortest decimals.
 * @throws a ProtocolError of kind TENSOR or ROWS, and the errors of a prediction.
 */
export async function answerTensors(
  { route, description, options }: ReadyRoute,
  { inputs, outputs }: Pick<InferenceRequest, 'inputs' | 'outputs'>,
  maxRows: number,
  isBinary = false,
): Promise<readonly OutputTensor[]> {
  const ports = requestedPorts(outputs, description.outputs);
  const checked = checkedInputs(inputs, description.inputs, maxRows);
  const columns =
    isBinary && checked.rows > 1 && areNumbers(ports) && !route.hasShadow ? columnsOf(checked) : undefined;
  if (columns !== undefined) {
    const answers = await route.predictColumns(columns, options);
    return ports.map((port) => outputOfColumn(port, checked.rows, answers[port.name]!));
  }
  const rows = rowsOf(checked);
  const [only, ...others] = rows;
  const answers: readonly Answer[] =
    only !== undefined && others.length === 0
      ? [await route.predict(only, options)]
      : await route.predictBatch(rows, options);
  return ports.map((port) => outputTensor(port, answers));
}

/** Returns the model in `name@version`. */
export const nameOf = (version: string): string => version.slice(0, version.lastIndexOf('@'));

/** Returns the version in `name@version`. */
export const versionOf = (version: string): string => version.slice(version.lastIndexOf('@') + 1);
