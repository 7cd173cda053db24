import { checkForest } from './check-forest.js';

const NAN_COLUMN = 0xffffffff;
const NAN_IS_LOW = 0x80000000;

/**
 * The content of a packed forest (native/README.md, section 3). A node has two 32-bit words:
 * threshold and link.
 */
export class PackedForest {
  readonly trees: number;
  readonly targets: number;
  /** The number of columns that `copyRow` copies; 0 if the trees read rows without a copy. */
  readonly columns: number;
  /**
   * For perfect trees, their depth. For linked trees, the number of bits that store the column in a
   * link.
   */
  readonly form: number;
  readonly thresholds: Float32Array;
  readonly links: Int32Array;
  /**
   * For perfect trees, the payloads of all leaves. For linked trees, the index of each tree's first
   * node.
   */
  readonly leaves: Int32Array;
  readonly depths: Int32Array;
  readonly treeTargets: Int32Array;
  /**
   * If leaves hold several weights: for each leaf, one weight for each target. Empty if each leaf
   * holds one weight.
   */
  readonly weights: Float32Array;
  readonly base: Float32Array;
  /** The bytes of `leaves` as floats, because each leaf of a perfect tree may hold a weight. */
  readonly leafWeights: Float32Array;
  readonly #sources: Uint32Array;
  readonly #row: Float32Array;

  /** @throws RangeError for bytes that are not a forest of this kind. */
  constructor(bytes: Uint8Array, kind: 'perfect' | 'linked') {
    const { buffer, byteOffset } = bytes.byteOffset % 4 === 0 ? bytes : bytes.slice();
    const header = new Uint32Array(buffer, byteOffset, 16);
    const field = (at: number) => header[at]!;
    const words = (at: number) => (bytes.length - field(at)) >> 2;
    const ints = (at: number, count = words(at)) => new Int32Array(buffer, byteOffset + field(at), count);
    const floats = (at: number, count = words(at)) => new Float32Array(buffer, byteOffset + field(at), count);
    this.trees = field(2);
    this.targets = field(3);
    this.columns = field(4);
    this.form = field(6);
    this.#sources = new Uint32Array(buffer, byteOffset + field(8), this.columns);
    this.thresholds = floats(9);
    this.links = ints(9);
    this.leaves = ints(10);
    this.leafWeights = floats(10);
    this.depths = ints(11, field(11) === 0 ? 0 : this.trees);
    this.treeTargets = ints(12);
    this.weights = floats(13, field(7) * this.targets);
    this.base = floats(14, this.targets);
    this.#row = new Float32Array(this.columns);
    checkForest(this, field(0), kind);
  }

  /**
   * Copies the values that the trees compare, from the row that starts at `values[first]`. The next
   * call overwrites the copy.
   */
  copyRow(values: Float32Array, first: number): Float32Array {
    const row = this.#row;
    for (let column = 0; column < row.length; column++) {
      const source = this.#sources[column]!;
      if (source === NAN_COLUMN) {
        row[column] = Number.NaN;
        continue;
      }
      const value = values[first + (source & ~NAN_IS_LOW)]!;
      row[column] = source >= NAN_IS_LOW && Number.isNaN(value) ? Number.NEGATIVE_INFINITY : value;
    }
    return row;
  }
}

const forests = new WeakMap<Uint8Array, PackedForest>();

/** Returns the packed forest in these bytes. Caches the result for later calls. */
export function packedForest(bytes: Uint8Array, kind: 'perfect' | 'linked'): PackedForest {
  let forest = forests.get(bytes);
  if (forest === undefined) {
    forest = new PackedForest(bytes, kind);
    forests.set(bytes, forest);
  }
  return forest;
}
