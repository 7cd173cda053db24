import { RegistryError } from 'brezel';

const REFERENCE = /^(?<name>[^@:\p{Cc}]+)(?:[@:][^@:\p{Cc}]+)?$/u;
const MAX_CHARACTERS = 512;

/** The same texts as in the registry. A test compares the errors. */
const INVALID = {
  statusCode: 400,
  message: 'invalid reference to a model',
  hint: 'write "name", "name@version" or "name:alias"; names, versions and aliases must not contain "@", ":" or control characters',
};

/**
 * Returns the name of the model in a reference.
 * @throws ERR_REGISTRY_REFERENCE
 */
export function modelIn(reference: unknown): string {
  const isShort = typeof reference === 'string' && reference.length <= MAX_CHARACTERS;
  const name = isShort ? REFERENCE.exec(reference)?.groups?.name : undefined;
  if (name !== undefined) return name;
  const received = typeof reference === 'string' ? JSON.stringify(reference) : `${reference}`;
  throw new RegistryError('ERR_REGISTRY_REFERENCE', INVALID, { received });
}
