const WINDOW = 512;
const SEEN = 1024;

/**
 * Whether the inputs of a stage come again. Keeping a result takes about a tenth of what making it takes: where fewer than one in eight came before,
 * nothing is kept, and only fingerprints tell when that changes. The addon does the same (native/src/stage_results.hpp).
 */
export class Recurrence {
  readonly #seen = new Int32Array(SEEN);
  #looks = 0;
  #again = 0;
  #isRare = false;

  get isRare(): boolean {
    return this.#isRare;
  }

  saw(fingerprint: number, isKept: boolean): void {
    const place = fingerprint & (SEEN - 1);
    if (isKept || this.#seen[place] === fingerprint) this.#again++;
    this.#seen[place] = fingerprint;
    if (++this.#looks < WINDOW) return;
    this.#isRare = this.#again < WINDOW / 8;
    this.#looks = 0;
    this.#again = 0;
  }
}
