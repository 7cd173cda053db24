/**
 * Returns the number of partial sums (lanes) of each float32 sum if `outputs` sums are computed
 * together. Each term is added to the next lane in turn. At the end, a fixed tree adds the lanes.
 *
 * This function defines the order of all float32 sums (native/README.md, section 1). The lanes of
 * up to 16 outputs fit into one register of 16 floats, so every instruction set can use the same
 * order.
 */
export function lanes(outputs: number): number {
  if (outputs === 1) return 16;
  if (outputs === 2) return 8;
  if (outputs <= 4) return 4;
  if (outputs <= 8) return 2;
  return 1;
}

/**
 * Computes `outputs` float32 sums together, in the order that `lanes` defines. The caller adds the
 * terms one by one; `finish` adds the lanes and returns the sums.
 */
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

  /** Adds `value * weights[offset + output]` to every output. */
  addProducts(value: number, weights: Float32Array, offset: number): void {
    const lane = (this.#term++ % this.#lanes) * this.#outputs;
    for (let output = 0; output < this.#outputs; output++) {
      const product = Math.fround(value * weights[offset + output]!);
      // the store rounds to float32
      this.#sums[lane + output] = this.#sums[lane + output]! + product;
    }
  }

  /** Adds one float32 term. Only for a single output. */
  add(term: number): void {
    const lane = this.#term++ % this.#lanes;
    this.#sums[lane] = this.#sums[lane]! + term;
  }

  /** Sets all sums to 0, so that a caller with many small sums can reuse the object. */
  clear(): void {
    this.#sums.fill(0);
    this.#term = 0;
  }

  finish(): Float32Array {
    for (let step = this.#lanes / 2; step >= 1; step /= 2) {
      for (let offset = 0; offset < step * this.#outputs; offset++) {
        this.#sums[offset] = this.#sums[offset]! + this.#sums[offset + step * this.#outputs]!;
      }
    }
    return this.#sums.subarray(0, this.#outputs);
  }
}
