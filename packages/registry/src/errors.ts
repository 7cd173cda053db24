import { BrezelError, thrower } from '@brezel/core';

/** An error that the user of the registry can fix. Errors about a row are `RuntimeError`s. */
export class RegistryError extends BrezelError {}

export const registryErrors = {
  ERR_REGISTRY_REFERENCE: {
    statusCode: 400,
    message: 'invalid reference to a model',
    hint: 'write "name", "name@version" or "name:alias"; names, versions and aliases must not contain "@", ":" or control characters',
  },
  ERR_REGISTRY_UNKNOWN: {
    statusCode: 404,
    message: 'unknown model, version or alias',
    hint: 'registry.stats() lists the models; add the version first, or set the alias',
  },
  ERR_REGISTRY_EXISTS: {
    statusCode: 409,
    message: 'the model already has this version',
    hint: 'a version never changes: add the new plan under a new version',
  },
  ERR_REGISTRY_SOURCE: {
    message: 'unsupported source of a plan',
    hint: 'pass a compiled plan, the path of a model file or fleet file, a plan of an open fleet, or an object with load()',
  },
  ERR_REGISTRY_OPTION: {
    message: 'an option is out of range',
    hint: 'see the range in the documentation of the option',
  },
  ERR_REGISTRY_LOAD: {
    statusCode: 503,
    message: 'a version cannot be loaded',
    hint: 'see `cause` for the reason; the next prediction tries again',
  },
  ERR_REGISTRY_CHANGED: {
    message: 'the file of a version has changed since its last load',
    hint: 'a version never changes: add the new file under a new version, or watch its folder',
  },
  ERR_REGISTRY_NOT_LOADED: {
    statusCode: 503,
    message: 'the version is not loaded',
    hint: 'await registry.load(reference) and pin the version, or use predict, which loads it',
  },
  ERR_REGISTRY_BUDGET: {
    statusCode: 503,
    message: 'the version exceeds the memory budget',
    hint: 'all loaded versions are pinned, in use or cannot be loaded again: increase memoryBudgetBytes, unpin a version, or try again later',
  },
  ERR_REGISTRY_QUARANTINED: {
    statusCode: 503,
    message: 'the version failed repeatedly and is in quarantine',
    hint: '`cause` is its last failure; call registry.release(reference) after you fix it, or move the alias to another version',
  },
  ERR_REGISTRY_ALIASED: {
    statusCode: 409,
    message: 'an alias points to this version',
    hint: 'move the alias, end its canary or shadow, or remove the whole model by its name',
  },
  ERR_REGISTRY_NO_PREVIOUS: {
    statusCode: 409,
    message: 'the alias has no earlier version',
    hint: 'call setAlias with the version that you want',
  },
  ERR_REGISTRY_REMOVED: {
    statusCode: 410,
    message: 'the version was removed',
    hint: 'use another version, or add it again',
  },
  ERR_REGISTRY_FOLDER: {
    message: 'a folder of models cannot be read',
    hint: 'check its path and permissions; versions that are loaded stay available',
  },
  ERR_REGISTRY_CLOSED: { statusCode: 503, message: 'the registry is closed', hint: 'create a new registry' },
} as const;

export const registryError = thrower(RegistryError, registryErrors);
