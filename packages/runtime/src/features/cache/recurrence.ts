const WINDOW = 256;
const SEEN = 1024;
/** Looks that are passed by until it is the turn of another eighth: some inputs are all of one. */
const TURN = 4096;

/**
 * Whether the inputs of a stage come again. Keeping a result takes about a tenth of what making it
 * takes: where fewer than one in eight came before, nothing is kept. One input in eight is looked
 * at then, chosen by what it is: that tells when they come again. The addon does the same
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
    const place = fingerprint & (SEEN - 1);
    if (isCached || this.#seen[place] === fingerprint) this.#again++;
    this.#seen[place] = fingerprint;
    if (++this.#looks < WINDOW) return;
    this.#isRare = this.#again < WINDOW / 8;
    this.#looks = 0;
    this.#again = 0;
  }
}
