/**
 * 2^32 divided by the golden ratio, odd: its multiples lie evenly in the circle of 32-bit integers.
 */
const GOLDEN = 0x9e3779b9;
const CIRCLE = 2 ** 32;

/**
 * Picks a share of the requests. By key: the same key is picked again and again, and stays picked
 * when the share grows. Without a key: every n-th, spread by multiples of the golden ratio, so that
 * the share is kept exactly, also among every second or third request.
 */
export class Split {
  /** Below it a number of the circle is picked. */
  readonly #threshold: number;
  readonly #salt: number;
  #position = 0;

  /**
   * @param share from 0 to 1.
   * @param salt splits of another salt pick other keys.
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
 * FNV-1a over UTF-16 units, then the finalizer of MurmurHash3, for FNV alone leaves the high bits
 * of short keys alike.
 */
function hash(text: string, salt: number): number {
  let state = 0x811c9dc5 ^ salt;
  for (let at = 0; at < text.length; at++) state = Math.imul(state ^ text.charCodeAt(at), 0x01000193);
  state = Math.imul(state ^ (state >>> 16), 0x85ebca6b);
  state = Math.imul(state ^ (state >>> 13), 0xc2b2ae35);
  return (state ^ (state >>> 16)) >>> 0;
}
