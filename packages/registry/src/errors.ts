import { BrezelError, thrower } from '@brezel/core';

/** Whose turn: whoever keeps the registry. What is wrong with a row stays a RuntimeError. */
export class RegistryError extends BrezelError {}

export const registryErrors = {
  ERR_REGISTRY_REFERENCE: {
    message: 'not a reference to a model',
    hint: 'write "name", "name@version" or "name:alias"; names, versions and aliases hold no "@", ":" or control characters',
  },
  ERR_REGISTRY_UNKNOWN: {
    message: 'no such model, version or alias',
    hint: 'registry.stats() lists what there is; add the version first, or set the alias',
  },
  ERR_REGISTRY_EXISTS: {
    message: 'the model has this version already',
    hint: 'a version means one thing for ever: add the new plan under a new version',
  },
  ERR_REGISTRY_SOURCE: {
    message: 'a plan cannot come from there',
    hint: 'give a compiled plan, a path of an .onnx or .brezel file, a plan of an open fleet, or an object with load()',
  },
  ERR_REGISTRY_OPTION: {
    message: 'an option is out of range',
    hint: 'the documentation of the option tells its range',
  },
  ERR_REGISTRY_LOAD: {
    message: 'a version cannot be loaded',
    hint: 'the cause tells what is wrong with it; the next prediction tries again',
  },
  ERR_REGISTRY_CHANGED: {
    message: 'the file of a version is not the one that was loaded before',
    hint: 'a version means one thing for ever: add the new file under a new version, or watch its folder',
  },
  ERR_REGISTRY_NOT_LOADED: {
    message: 'the version is not loaded',
    hint: 'await registry.load(reference) and pin it, or use predict, which loads',
  },
  ERR_REGISTRY_BUDGET: {
    message: 'a version does not fit into the memory budget',
    hint: 'what is loaded is pinned, in use or cannot be loaded again: raise memoryBudgetBytes, unpin some, or try again later',
  },
  ERR_REGISTRY_QUARANTINED: {
    message: 'a version failed again and again, and rests',
    hint: 'the cause is its last failure; move the alias to another version, or release(reference) when it is repaired',
  },
  ERR_REGISTRY_ALIASED: {
    message: 'an alias means this version',
    hint: 'move the alias, end its canary or shadow, or remove the whole model by its name',
  },
  ERR_REGISTRY_NO_PREVIOUS: {
    message: 'the alias meant nothing else before',
    hint: 'use setAlias to say what it is to mean',
  },
  ERR_REGISTRY_REMOVED: {
    message: 'the version was removed',
    hint: 'ask for another version, or add it again',
  },
  ERR_REGISTRY_FOLDER: {
    message: 'a folder of models cannot be read',
    hint: 'check its path and permissions; what was loaded from it goes on',
  },
  ERR_REGISTRY_CLOSED: { message: 'the registry is closed', hint: 'create a new one' },
} as const;

export const registryError = thrower(RegistryError, registryErrors);
