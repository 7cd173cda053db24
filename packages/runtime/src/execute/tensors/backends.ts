import type { Backend } from '@brezel/core';
import { runtimeError } from '../../errors.js';

const verbs = ['probe', 'open', 'dispose'] as const;

/** A function of a backend that the runtime calls at the end of `close`. */
export type Detach = () => Promise<void>;

/**
 * Checks whether a backend can be added to a list of backends.
 *
 * @throws ERR_RUNTIME_BACKEND for an invalid backend, or for a duplicate name.
 */
export function checkBackend(backends: readonly Backend[], backend: Backend): void {
  const isBackend =
    typeof backend?.name === 'string' &&
    Array.isArray(backend.formats) &&
    verbs.every((verb) => typeof backend[verb] === 'function');
  if (!isBackend)
    throw runtimeError('ERR_RUNTIME_BACKEND', {
      expected: `a backend: name, formats, ${verbs.join(', ')}`,
      received: String(backend?.name ?? backend),
    });
  if (backends.some(({ name }) => name === backend.name))
    throw runtimeError('ERR_RUNTIME_BACKEND', { received: `a second backend with the name ${backend.name}` });
}

/**
 * Attaches a backend to a runtime. Returns the function that detaches the backend, if it has one.
 *
 * @throws ERR_RUNTIME_BACKEND if `attach` returns something else; also the errors of `attach`.
 */
export function attached(backend: Backend): Detach | undefined {
  const detach: unknown = backend.attach?.();
  if (detach === undefined || typeof detach === 'function') return detach as Detach | undefined;
  throw runtimeError('ERR_RUNTIME_BACKEND', {
    expected: 'a function that detaches the backend, as the result of `attach`',
    received: detach instanceof Promise ? 'a promise' : String(detach),
    at: `backend ${backend.name}`,
  });
}

/** Empties a list of functions and calls all of them, even if some fail. Never rejects. */
export const detachAll = (all: Detach[]): Promise<PromiseSettledResult<void>[]> =>
  Promise.allSettled(all.splice(0).map(async (detach) => detach()));
