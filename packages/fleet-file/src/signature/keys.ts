import { createHash, createPrivateKey, createPublicKey, KeyObject } from 'node:crypto';
import { fleetFileError } from '../errors.js';

/** A public key whose signatures are accepted: an Ed25519 key, as PEM text or as key object. */
export type TrustedKey = string | KeyObject;

/**
 * Returns the public key of a trusted key.
 *
 * @throws ERR_FLEET_KEY, never with a part of the key.
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
  // createPublicKey would derive the public key: a private key here is a mistake of the caller
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
 * Checks a key that signs.
 *
 * @throws ERR_FLEET_KEY, never with a part of the key.
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
 * @param at name of the file, for errors.
 * @throws ERR_FLEET_KEY, never with a part of the key.
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

/** Returns the SHA-256 of a public key in its DER form. */
export const fingerprintOf = (key: KeyObject): Buffer =>
  createHash('sha256')
    .update(key.export({ type: 'spki', format: 'der' }))
    .digest();

/** Returns a fingerprint as people compare it. */
export const printFingerprint = (fingerprint: Uint8Array): string =>
  `SHA256:${Buffer.from(fingerprint).toString('base64').replaceAll('=', '')}`;
