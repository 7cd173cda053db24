import { backendError } from '@brezel/core';

/** Options that are plain data, so that they can be sent to worker threads. */
export type PlainOptions = Readonly<Record<string, unknown>>;

/**
 * Options that the user sets for all onnxruntime sessions, in addition to the options that Brezel
 * sets.
 */
export interface SessionChoices {
  /**
   * Options of onnxruntime sessions, with onnxruntime's names: `graphOptimizationLevel`,
   * `enableCpuMemArena`, `freeDimensionOverrides`, ...
   */
  readonly sessionOptions?: PlainOptions | undefined;
  /** Options of execution providers, by provider name: `{ cuda: { deviceId: 1 } }`. */
  readonly providerOptions?: Readonly<Record<string, PlainOptions>> | undefined;
}

/**
 * Session options that users cannot set because Brezel sets them. The value of each entry is a text
 * for the error, which names the option of Brezel to use instead.
 */
const decided: Readonly<Record<string, string>> = {
  executionProviders: 'providers of register, and providerOptions here',
  intraOpNumThreads: 'threads',
  interOpNumThreads: 'threads',
  executionMode: 'workers and replicas',
  preferredOutputLocation: 'nothing: answers are the caller’s',
};

/**
 * Checks the options.
 *
 * @throws ERR_BACKEND_OPTION for an invalid option, and for an option in `decided`.
 */
export function checkSessionChoices({ sessionOptions = {}, providerOptions = {} }: SessionChoices): void {
  for (const [name, value] of Object.entries({ sessionOptions, providerOptions, ...providerOptions })) {
    if (isPlain(value)) continue;
    throw backendError('ERR_BACKEND_OPTION', { expected: 'an object of plain data', received: typeof value, at: name });
  }
  const taken = Object.keys(sessionOptions).find((name) => Object.hasOwn(decided, name));
  if (taken === undefined) return;
  const hint = `Brezel sets this option; use ${decided[taken]}`;
  throw backendError('ERR_BACKEND_OPTION', { received: taken, at: 'sessionOptions', hint });
}

function isPlain(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  try {
    structuredClone(value);
    return true;
  } catch {
    return false;
  }
}
