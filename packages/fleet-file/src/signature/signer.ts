import { createHash, createPublicKey, type KeyObject, sign } from 'node:crypto';
import { checkSigningKey, fingerprintOf } from './keys.js';
import { encodeTrailer, messageOf } from './trailer.js';

/** Signs a file while it is written. */
export class Signer {
  readonly #key: KeyObject;
  readonly #hash = createHash('sha256');

  /**
   * @param key the Ed25519 private key
   * @throws ERR_FLEET_KEY
   */
  constructor(key: KeyObject) {
    checkSigningKey(key);
    this.#key = key;
  }

  /**
   * Adds the next signed bytes. The function `signedRanges` returns which bytes of a file are
   * signed.
   */
  add(bytes: Uint8Array): void {
    this.#hash.update(bytes);
  }

  /** Returns the trailer for the bytes that were added. */
  trailer(): Buffer {
    const fingerprint = fingerprintOf(createPublicKey(this.#key));
    const signature = sign(null, messageOf(fingerprint, this.#hash.digest()), this.#key);
    return encodeTrailer({ signature, fingerprint });
  }
}
