const WINDOW = 256;
const SEEN = 1024;
/**
 * After this many inputs, `Recurrence` samples other hash values. Otherwise it would never detect
 * repeated inputs whose hash values are all outside the sample.
 */
const TURN = 4096;

/**
 * Detects whether the inputs of a stage repeat. Caching a result takes about a tenth of the time of
 * the stage. If fewer than one input in eight repeats, caching costs more than it saves, so most
 * inputs bypass the cache. Then only a sample, one input in eight, is looked up, to detect when
 * inputs repeat again. The hash of an input decides whether it is in the sample. Equal inputs are
 * therefore either all in the sample or all outside it. The addon works in the same way
 * (native/src/stage_results.hpp).
 */
export class Recurrence {
  readonly #seen = new Int32Array(SEEN);
  #looks = 0;
  #again = 0;
  #isRare = false;
  #passed = 0;

  get isRare(): boolean {
    return this.#isRare;
  }

  looksAt(input: string): boolean {
    if (!this.#isRare) return true;
    const last = input.length - 1;
    const sum =
      input.length + input.charCodeAt(0) * 7 + input.charCodeAt(last >> 1) * 31 + input.charCodeAt(last) * 127;
    return ((sum | 0) + Math.floor(this.#passed++ / TURN)) % 8 === 0;
  }

  saw(fingerprint: number, isCached: boolean): void {
    const slot = fingerprint & (SEEN - 1);
    if (isCached || this.#seen[slot] === fingerprint) this.#again++;
    this.#seen[slot] = fingerprint;
    if (++this.#looks < WINDOW) return;
    this.#isRare = this.#again < WINDOW / 8;
    this.#looks = 0;
    this.#again = 0;
  }
}
