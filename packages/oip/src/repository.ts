// The model repository extension of Triton: an index of all versions, load and unload.
import type { ModelRegistry } from 'brezel';
import { protocolError } from './errors.js';

/** One version in the index of the repository. */
export interface IndexEntry {
  readonly name: string;
  readonly version: string;
  readonly state: 'READY' | 'UNAVAILABLE';
  readonly reason: string;
}

/** Lists the versions of all models, or only the loaded versions. */
export function repositoryIndex(registry: ModelRegistry, onlyReady: boolean): readonly IndexEntry[] {
  const all = registry.names().flatMap((name) => indexOf(registry, name));
  return onlyReady ? all.filter(({ state }) => state === 'READY') : all;
}

function indexOf(registry: ModelRegistry, name: string): IndexEntry[] {
  return (registry.model(name)?.versions ?? []).map((version) => {
    const isLoaded = registry.route(`${name}@${version}`).description !== undefined;
    const state = isLoaded ? 'READY' : 'UNAVAILABLE';
    return { name, version, state, reason: isLoaded ? '' : 'not loaded; the next request loads it' };
  });
}

/**
 * Checks that a request to load a model has no parameters: a client may name a model but may not
 * send a file or a configuration.
 *
 * @throws a ProtocolError of kind REQUEST
 */
export function checkLoadParameters(parameters: readonly string[]): void {
  if (parameters.length === 0) return;
  throw protocolError('REQUEST', {
    expected: 'no parameters',
    received: JSON.stringify(parameters.join(', ').slice(0, 100)),
    hint: 'name a model that the server knows; a request cannot contain a file or a configuration',
  });
}

/**
 * Checks the name in a request to unload a model. Triton unloads all versions of a model, so the
 * name cannot select one version.
 *
 * @throws a ProtocolError of kind REQUEST
 */
export function checkModelName(name: string): void {
  if (!/[@:]/.test(name)) return;
  throw protocolError('REQUEST', {
    expected: 'the name of a model, without a version or an alias',
    received: JSON.stringify(name.slice(0, 100)),
    hint: 'send the name alone: the server unloads all versions of the model',
  });
}

/**
 * Unloads all versions of a model that can be unloaded. A version stays loaded while it answers
 * requests, or if it was added as a compiled plan.
 * @throws a ProtocolError of kind IN_USE if a version stays loaded; ERR_REGISTRY_UNKNOWN.
 */
export function unloadModel(registry: ModelRegistry, name: string): void {
  const versions = registry.model(name)?.versions ?? [registry.resolve(name)];
  const references = versions.map((version) => `${name}@${version}`);
  for (const reference of references) registry.unload(reference);
  const loaded = references.filter((reference) => registry.route(reference).description !== undefined);
  if (loaded.length > 0) throw protocolError('IN_USE', { received: loaded.join(', ') });
}
