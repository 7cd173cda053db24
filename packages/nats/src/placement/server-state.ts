/** The load of a model on a server since its last report. */
export interface ModelLoad {
  /** The mean number of requests in flight. */
  readonly queue: number;
  /** The mean duration of its requests in milliseconds. 0 without requests. */
  readonly meanMs: number;
}

/** The state that a server with placed models reports to the other servers. */
export interface ServerState {
  readonly name: string;
  /** A random id of the process. A server that starts again has another one. */
  readonly instance: string;
  readonly memoryBytes: number;
  /** Milliseconds between two reports. */
  readonly heartbeatMs: number;
  /** The models of the catalog that the server serves. */
  readonly models: readonly string[];
  /** The load of the models that have had requests. */
  readonly load: Readonly<Record<string, ModelLoad>>;
  /** Whether the server ends now. */
  readonly isLeaving?: true;
}

const FORMAT = 'brezel-server-1';
/** The longest name of a server that places models. */
export const MAX_SERVER_NAME = 128;
const MAX_MODELS = 100_000;
/** The longest interval that a report may name: a lost server is then noticed after 3 minutes. */
export const MAX_HEARTBEAT_MS = 60_000;

export const encodeState = (state: ServerState): string => JSON.stringify({ format: FORMAT, ...state });

/** Decodes and checks a report. Returns undefined for another message. */
export function decodeState(bytes: Uint8Array): ServerState | undefined {
  const { format, name, instance, memoryBytes, heartbeatMs, models, load, isLeaving } = parsed(bytes);
  const isValid =
    format === FORMAT &&
    isName(name) &&
    isName(instance) &&
    isPositive(memoryBytes, Number.MAX_SAFE_INTEGER) &&
    isPositive(heartbeatMs, MAX_HEARTBEAT_MS) &&
    Array.isArray(models) &&
    models.length <= MAX_MODELS &&
    models.every((model) => typeof model === 'string');
  if (!isValid) return undefined;
  return {
    name,
    instance,
    memoryBytes,
    heartbeatMs,
    models: models as string[],
    load: loadIn(load),
    ...(isLeaving === true && { isLeaving }),
  };
}

function parsed(bytes: Uint8Array): Readonly<Record<string, unknown>> {
  try {
    return objectIn(JSON.parse(Buffer.from(bytes).toString()));
  } catch {
    return {};
  }
}

const objectIn = (value: unknown) =>
  (typeof value === 'object' && value !== null ? value : {}) as Readonly<Record<string, unknown>>;

const isName = (value: unknown): value is string =>
  typeof value === 'string' && value !== '' && value.length <= MAX_SERVER_NAME;

const isPositive = (value: unknown, most: number): value is number =>
  typeof value === 'number' && value > 0 && value <= most;

function loadIn(value: unknown): Record<string, ModelLoad> {
  const loads: [string, ModelLoad][] = Object.entries(objectIn(value)).flatMap(([model, load]) => {
    const { queue, meanMs } = objectIn(load);
    const isValid = [queue, meanMs].every((number) => typeof number === 'number' && number >= 0);
    return isValid ? [[model, { queue, meanMs } as ModelLoad]] : [];
  });
  return Object.fromEntries(loads);
}
