/**
 * The one definition of a float32 sum with `outputs` results (see native/README.md, section 1): `L` interleaved partial sums an
 * output, folded by a fixed tree. Together they fill one 16-float register, which is why every instruction set can keep the same order.
 */
export function lanes(outputs: number): number {
  if (outputs === 1) return 16;
  if (outputs === 2) return 8;
  if (outputs <= 4) return 4;
  if (outputs <= 8) return 2;
  return 1;
}

/** Partial sums of `outputs` results. Terms are added in order; `finish` folds the lanes and returns the results. */
export class LaneSum {
  readonly #lanes: number;
  readonly #sums: Float32Array;
  readonly #outputs: number;
  #term = 0;

  constructor(outputs: number) {
    this.#lanes = lanes(outputs);
    this.#outputs = outputs;
    this.#sums = new Float32Array(this.#lanes * outputs);
  }

  /** Adds `value * weights[at + output]` to every output. */
  addProducts(value: number, weights: Float32Array, at: number): void {
    const lane = (this.#term++ % this.#lanes) * this.#outputs;
    for (let output = 0; output < this.#outputs; output++) {
      const product = Math.fround(value * weights[at + output]!);
      this.#sums[lane + output] = this.#sums[lane + output]! + product; // the store rounds to float32
    }
  }

  /** Adds one float32 term (one output only). */
  add(term: number): void {
    const lane = this.#term++ % this.#lanes;
    this.#sums[lane] = this.#sums[lane]! + term;
  }

  finish(): Float32Array {
    for (let step = this.#lanes / 2; step >= 1; step /= 2) {
      for (let at = 0; at < step * this.#outputs; at++) {
        this.#sums[at] = this.#sums[at]! + this.#sums[at + step * this.#outputs]!;
      }
    }
    return this.#sums.subarray(0, this.#outputs);
  }
}
