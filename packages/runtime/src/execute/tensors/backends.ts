import type { Backend } from '@brezel/core';
import { runtimeError } from '../../errors.js';

const verbs = ['probe', 'open', 'dispose'] as const;

/**
 * Returns a new list that contains the backends and one more backend.
 *
 * @throws ERR_RUNTIME_BACKEND for an invalid backend, or for a duplicate name.
 */
export function withBackend(backends: readonly Backend[], backend: Backend): readonly Backend[] {
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
  return [...backends, backend];
}
