/**
 * The odd integer nearest to 2^32 divided by the golden ratio. Modulo 2^32, its multiples are
 * spread evenly over all 32-bit integers.
 */
const GOLDEN = 0x9e3779b9;
const CIRCLE = 2 ** 32;

/**
 * Selects a fraction of the requests. A request with a key is selected if the hash of its key is
 * below a threshold. A larger fraction has a greater threshold, so a selected key stays selected.
 * For requests without keys, multiples of GOLDEN replace the hash. They are spread so evenly that
 * the fraction is also correct among the requests of a client that sends every second or every
 * third request.
 */
export class Split {
  /**
   * A request is selected if its number (the hash of its key, or a multiple of GOLDEN) is below
   * this threshold.
   */
  readonly #threshold: number;
  readonly #salt: number;
  #position = 0;

  /**
   * @param share the fraction of the requests to select, from 0 to 1.
   * @param salt a text that changes which keys are selected.
   */
  constructor(share: number, salt: string) {
    this.#threshold = share * CIRCLE;
    this.#salt = hash(salt, 0);
  }

  picks(key: string | number | undefined): boolean {
    if (key !== undefined) return hash(typeof key === 'string' ? key : `${key}`, this.#salt) < this.#threshold;
    this.#position = (this.#position + GOLDEN) >>> 0;
    return this.#position < this.#threshold;
  }
}

/**
 * Hashes a key with FNV-1a over UTF-16 units, then with the finalizer of MurmurHash3. FNV-1a alone
 * would give similar high bits to short keys, and the threshold depends on the high bits.
 */
function hash(text: string, salt: number): number {
  let state = 0x811c9dc5 ^ salt;
  for (let at = 0; at < text.length; at++) state = Math.imul(state ^ text.charCodeAt(at), 0x01000193);
  state = Math.imul(state ^ (state >>> 16), 0x85ebca6b);
  state = Math.imul(state ^ (state >>> 13), 0xc2b2ae35);
  return (state ^ (state >>> 16)) >>> 0;
}
