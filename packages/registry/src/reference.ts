import { registryError } from './errors.js';

/** The alias to which a name alone refers. */
export const DEFAULT_ALIAS = 'default';

/** A parsed reference: the name of a model, and a version, an alias or neither. */
export interface Reference {
  readonly name: string;
  readonly version?: string;
  readonly alias?: string;
}

const REFERENCE = /^(?<name>[^@:\p{Cc}]+)(?:@(?<version>[^@:\p{Cc}]+)|:(?<alias>[^@:\p{Cc}]+))?$/u;
/**
 * The maximal length of a reference. A longer text is certainly a mistake. The limit also keeps
 * error messages short, because they contain the reference.
 */
const MAX_CHARACTERS = 512;

/**
 * Parses a reference.
 * @throws ERR_REGISTRY_REFERENCE
 */
export function parseReference(text: string): Reference {
  const groups = typeof text === 'string' && text.length <= MAX_CHARACTERS ? REFERENCE.exec(text)?.groups : undefined;
  if (groups === undefined) throw registryError('ERR_REGISTRY_REFERENCE', { received: show(text) });
  return groups as unknown as Reference;
}

/**
 * Checks a name, version or alias and returns it.
 * @throws ERR_REGISTRY_REFERENCE for a text that is empty, too long, or contains "@", ":" or
 * control characters.
 */
export function checkPart(what: 'name' | 'version' | 'alias', text: string): string {
  const ok = typeof text === 'string' && text.length <= MAX_CHARACTERS && REFERENCE.exec(text)?.groups?.name === text;
  if (ok) return text;
  throw registryError('ERR_REGISTRY_REFERENCE', { expected: `a ${what} without "@" and ":"`, received: show(text) });
}

export const versionReference = (name: string, version: string) => `${name}@${version}`;
export const aliasReference = (name: string, alias: string) => `${name}:${alias}`;

const show = (value: unknown) => (typeof value === 'string' ? JSON.stringify(value) : `${value}`);
