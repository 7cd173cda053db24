import { registryError } from './errors.js';

/** The alias that a name alone stands for. */
export const DEFAULT_ALIAS = 'default';

/** A reference taken apart: a model, and at most one of the others. */
export interface Reference {
  readonly name: string;
  readonly version?: string;
  readonly alias?: string;
}

const REFERENCE = /^(?<name>[^@:\p{Cc}]+)(?:@(?<version>[^@:\p{Cc}]+)|:(?<alias>[^@:\p{Cc}]+))?$/u;
/** Longer ones are mistakes, and every message would show them. */
const MAX_CHARACTERS = 512;

/** @throws ERR_REGISTRY_REFERENCE */
export function parseReference(text: string): Reference {
  const groups = typeof text === 'string' && text.length <= MAX_CHARACTERS ? REFERENCE.exec(text)?.groups : undefined;
  if (groups === undefined) throw registryError('ERR_REGISTRY_REFERENCE', { received: show(text) });
  return groups as unknown as Reference;
}

/** @throws ERR_REGISTRY_REFERENCE when a name, version or alias holds what separates them. */
export function checkPart(what: 'name' | 'version' | 'alias', text: string): string {
  const ok = typeof text === 'string' && text.length <= MAX_CHARACTERS && REFERENCE.exec(text)?.groups?.name === text;
  if (ok) return text;
  throw registryError('ERR_REGISTRY_REFERENCE', { expected: `a ${what} without "@" and ":"`, received: show(text) });
}

export const versionReference = (name: string, version: string) => `${name}@${version}`;
export const aliasReference = (name: string, alias: string) => `${name}:${alias}`;

const show = (value: unknown) => (typeof value === 'string' ? JSON.stringify(value) : `${value}`);
