import { backendError } from '@brezel/core';

/** Plain data: it crosses to worker threads. */
export type PlainOptions = Readonly<Record<string, unknown>>;

/** What every session is opened with, beside what Brezel decides. */
export interface SessionChoices {
  /** Options of onnxruntime's sessions, as it calls them: `graphOptimizationLevel`, `enableCpuMemArena`, `freeDimensionOverrides`, ... */
  readonly sessionOptions?: PlainOptions | undefined;
  /** Options of providers, by their names: `{ cuda: { deviceId: 1 } }`. */
  readonly providerOptions?: Readonly<Record<string, PlainOptions>> | undefined;
}

/** What Brezel decides, and where it is told otherwise. */
const decided: Readonly<Record<string, string>> = {
  executionProviders: 'providers of register, and providerOptions here',
  intraOpNumThreads: 'threads',
  interOpNumThreads: 'threads',
  executionMode: 'workers and replicas',
  preferredOutputLocation: 'nothing: answers are the caller’s',
};

/** @throws ERR_BACKEND_OPTION */
export function checkSessionChoices({ sessionOptions = {}, providerOptions = {} }: SessionChoices): void {
  for (const [name, value] of Object.entries({ sessionOptions, providerOptions, ...providerOptions })) {
    if (isPlain(value)) continue;
    throw backendError('ERR_BACKEND_OPTION', { expected: 'an object of plain data', received: typeof value, at: name });
  }
  const taken = Object.keys(sessionOptions).find((name) => Object.hasOwn(decided, name));
  if (taken === undefined) return;
  const hint = `Brezel decides it; told otherwise by ${decided[taken]}`;
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
