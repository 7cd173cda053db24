import { createHash, createPrivateKey, createPublicKey, KeyObject } from 'node:crypto';
import { fleetFileError } from '../errors.js';

/** An Ed25519 public key whose signatures are accepted, as PEM text or as a key object. */
export type TrustedKey = string | KeyObject;

/**
 * Converts a trusted key to a public key object.
 *
 * @throws ERR_FLEET_KEY; the error never contains a part of the key.
 */
export function publicKeyOf(key: TrustedKey): KeyObject {
  const expected = 'an Ed25519 public key';
  const at = 'trustedKeys';
  if (key instanceof KeyObject) {
    if (key.type === 'public' && key.asymmetricKeyType === 'ed25519') return key;
    const received = key.type === 'public' ? `a key of type ${key.asymmetricKeyType}` : `a ${key.type} key`;
    throw fleetFileError('ERR_FLEET_KEY', { expected, received, at });
  }
  if (typeof key !== 'string') throw fleetFileError('ERR_FLEET_KEY', { expected, received: `a ${typeof key}`, at });
  // createPublicKey would derive the public key, but passing a private key is a mistake of the
  // caller
  if (key.includes('PRIVATE KEY')) throw fleetFileError('ERR_FLEET_KEY', { expected, received: 'a private key', at });
  let read: KeyObject;
  try {
    read = createPublicKey({ key, format: 'pem' });
  } catch {
    throw fleetFileError('ERR_FLEET_KEY', { expected, received: 'a text that is not PEM of a public key', at });
  }
  return publicKeyOf(read);
}

/**
 * Checks a key for signing.
 *
 * @throws ERR_FLEET_KEY; the error never contains a part of the key.
 */
export function checkSigningKey(key: KeyObject): void {
  const expected = 'a KeyObject of an Ed25519 private key';
  const hint = 'createPrivateKey(readFileSync("KEY.pem")) of node:crypto returns one';
  const refuse = (received: string) => fleetFileError('ERR_FLEET_KEY', { expected, received, at: 'sign', hint });
  if (!(key instanceof KeyObject)) throw refuse(`a ${typeof key}`);
  if (key.type !== 'private') throw refuse(`a ${key.type} key`);
  if (key.asymmetricKeyType !== 'ed25519') throw refuse(`a key of type ${key.asymmetricKeyType}`);
}

/**
 * Reads a private key from the content of a PEM file.
 *
 * @param at name of the file, for error messages.
 * @throws ERR_FLEET_KEY; the error never contains a part of the key.
 */
export function readSigningKey(pem: Buffer, at: string): KeyObject {
  let key: KeyObject;
  try {
    key = createPrivateKey({ key: pem, format: 'pem' });
  } catch {
    const received = pem.includes('ENCRYPTED') ? 'a key with a passphrase' : 'a file that is not PEM of a private key';
    throw fleetFileError('ERR_FLEET_KEY', { expected: 'an Ed25519 private key', received, at });
  }
  if (key.asymmetricKeyType === 'ed25519') return key;
  const received = `a key of type ${key.asymmetricKeyType}`;
  throw fleetFileError('ERR_FLEET_KEY', { expected: 'an Ed25519 private key', received, at });
}

/** Returns the fingerprint of a public key: the SHA-256 of its DER form. */
export const fingerprintOf = (key: KeyObject): Buffer =>
  createHash('sha256')
    .update(key.export({ type: 'spki', format: 'der' }))
    .digest();

/**
 * Formats a fingerprint as `SHA256:` and base64 text, the form in which users compare fingerprints.
 */
export const printFingerprint = (fingerprint: Uint8Array): string =>
  `SHA256:${Buffer.from(fingerprint).toString('base64').replaceAll('=', '')}`;
