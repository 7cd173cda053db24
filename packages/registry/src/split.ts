/**
 * 2^32 divided by the golden ratio, made odd. Its multiples spread evenly over the 32-bit integers.
 */
const GOLDEN = 0x9e3779b9;
const CIRCLE = 2 ** 32;

/**
 * Selects a share of the requests. A request with a key is selected by the hash of its key, so a
 * selected key stays selected, even when the share increases. Requests without a key are numbered,
 * and the multiples of the golden ratio select some of the numbers. They are spread so evenly that
 * every second or every third request alone also has this share.
 */
export class Split {
  /** Numbers below this threshold are selected. */
  readonly #threshold: number;
  readonly #salt: number;
  #position = 0;

  /**
   * @param share the share of requests to select, from 0 to 1
   * @param salt a split with another salt selects other keys
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
 * Hashes a key with FNV-1a over UTF-16 units, then with the finalizer of MurmurHash3. FNV alone
 * gives similar high bits to short keys.
 */
function hash(text: string, salt: number): number {
  let state = 0x811c9dc5 ^ salt;
  for (let at = 0; at < text.length; at++) state = Math.imul(state ^ text.charCodeAt(at), 0x01000193);
  state = Math.imul(state ^ (state >>> 16), 0x85ebca6b);
  state = Math.imul(state ^ (state >>> 13), 0xc2b2ae35);
  return (state ^ (state >>> 16)) >>> 0;
}
