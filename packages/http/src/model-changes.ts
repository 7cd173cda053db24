import { unloadModel } from '@brezel/oip';
import type { ModelRegistry } from 'brezel';
import { httpError } from './errors.js';

/** A change that a client requests. References name models of the registry, never files. */
export type ModelChange =
  | { readonly action: 'load'; readonly reference: string }
  | { readonly action: 'unload'; readonly name: string }
  | { readonly action: 'promote'; readonly reference: string; readonly version: string }
  | { readonly action: 'rollback'; readonly reference: string }
  | { readonly action: 'canary'; readonly reference: string; readonly to: string; readonly percent: number }
  | {
      readonly action: 'shadow';
      readonly reference: string;
      /** The shadow version. Undefined ends the shadow. */
      readonly to: string | undefined;
      readonly sample: number | undefined;
    };

/**
 * Changes the models or aliases of a registry.
 *
 * @throws ERR_HTTP_IN_USE, and the errors of the registry. After an error, aliases are unchanged.
 */
export async function changeModels(registry: ModelRegistry, change: ModelChange): Promise<void> {
  switch (change.action) {
    case 'load':
      await registry.load(change.reference);
      return;
    case 'unload':
      return unloadModel(registry, change.name);
    case 'promote':
      // `promote` loads the version before it moves the alias, so that no request waits for the
      // load.
      await registry.promote(change.reference, change.version);
      return;
    case 'rollback':
      return registry.rollback(change.reference);
    case 'canary': {
      const { reference, to, percent } = change;
      await registry.load(`${modelOf(reference)}@${to}`);
      return registry.canary(reference, { to, percent });
    }
    case 'shadow': {
      const { reference, to, sample } = change;
      return registry.shadow(reference, to === undefined ? undefined : { to, ...(sample !== undefined && { sample }) });
    }
  }
}

/** Returns the name of the model in a reference to an alias: `NAME:ALIAS` or `NAME`. */
export const modelOf = (reference: string): string => reference.split(':', 1)[0]!;

/**
 * Checks that no request uses a model.
 * @throws ERR_HTTP_IN_USE if a version of the model answers a request.
 */
export function checkUnused(registry: ModelRegistry, name: string): void {
  const references = new Set(registry.model(name)?.versions.map((version) => `${name}@${version}`));
  const used = registry.stats().versions.filter(({ version, inFlight }) => references.has(version) && inFlight > 0);
  if (used.length > 0) throw httpError('ERR_HTTP_IN_USE', { received: used.map(({ version }) => version).join(', ') });
}
