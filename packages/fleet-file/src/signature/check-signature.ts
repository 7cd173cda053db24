import { createHash, type KeyObject, verify } from 'node:crypto';
import type { Content } from '../content.js';
import { fleetFileError } from '../errors.js';
import { fingerprintOf, printFingerprint, publicKeyOf, type TrustedKey } from './keys.js';
import { decodeTrailer, messageOf, signedRanges, type Trailer } from './trailer.js';

/** Checks the signatures of files. It accepts only trusted keys. */
export class SignatureCheck {
  /** The trusted keys by fingerprint. */
  readonly #keys: ReadonlyMap<string, KeyObject>;

  /**
   * Reads the trusted keys.
   *
   * @throws ERR_FLEET_SIGNATURE for an empty list; ERR_FLEET_KEY for a key that is not an Ed25519
   * public key.
   */
  constructor(trusted: readonly TrustedKey[]) {
    if (!Array.isArray(trusted) || trusted.length === 0)
      throw fleetFileError('ERR_FLEET_SIGNATURE', {
        expected: 'at least one trusted key',
        received: 'an empty list',
        hint: 'leave out trustedKeys to accept files without a signature',
      });
    const keys = trusted.map(publicKeyOf);
    this.#keys = new Map(keys.map((key) => [printFingerprint(fingerprintOf(key)), key]));
  }

  /**
   * Checks that a file names a trusted key as its signer. It does not verify the signature. It only
   * rejects files of other signers cheaply, before they are copied.
   *
   * @throws ERR_FLEET_SIGNATURE
   */
  checkClaim(content: Content, path: string): void {
    this.#claim(content, path);
  }

  /**
   * Verifies the signature of a file. Call it before you use any byte of the file.
   *
   * Cost: SHA-256 of the file.
   *
   * @returns the fingerprint of the key that signed the file.
   * @throws ERR_FLEET_SIGNATURE
   */
  async check(content: Content, path: string): Promise<string> {
    const { trailer, name, key } = this.#claim(content, path);
    const hash = createHash('sha256');
    for (const [start, end] of signedRanges(content.size)) await content.hash(hash, start, end);
    if (verify(null, messageOf(trailer.fingerprint, hash.digest()), key, trailer.signature)) return name;
    throw fleetFileError('ERR_FLEET_SIGNATURE', {
      expected: `a signature of key ${name}`,
      received: 'a signature of other bytes',
      at: path,
      hint: 'the file was changed after it was signed: pack and sign the models again',
    });
  }

  #claim(content: Content, path: string): { trailer: Trailer; name: string; key: KeyObject } {
    const trailer = decodeTrailer(content);
    const expected = `a signature of ${[...this.#keys.keys()].slice(0, 3).join(' or ')}`;
    if (trailer === undefined)
      throw fleetFileError('ERR_FLEET_SIGNATURE', { expected, received: 'a file without a signature', at: path });
    const name = printFingerprint(trailer.fingerprint);
    const key = this.#keys.get(name);
    if (key === undefined) throw fleetFileError('ERR_FLEET_SIGNATURE', { expected, received: `key ${name}`, at: path });
    return { trailer, name, key };
  }
}

/**
 * Checks a list of trusted keys before a file is opened.
 *
 * @throws ERR_FLEET_SIGNATURE for an empty list; ERR_FLEET_KEY.
 */
export function checkTrustedKeys(trusted: readonly TrustedKey[]): void {
  new SignatureCheck(trusted);
}

/**
 * Returns the error for a model file if the caller accepts only signed files, because a model file
 * has no signature.
 */
export const unsignedModel = (): Error =>
  fleetFileError('ERR_FLEET_SIGNATURE', {
    expected: 'a signed fleet file',
    received: 'a model file, which has no signature',
    hint: 'pack and sign the model: brezel pack MODEL -o fleet.brezel --sign KEY.pem',
  });
