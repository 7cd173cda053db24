import { BlobLayout } from '@brezel/text';
import { type ForestShape, treeTargets } from './forest-shape.js';
import { type LeafPayload, rowPayload, weightPayload } from './leaf-payload.js';
import { normalNode } from './normal-node.js';
import { type Forest, LEAF } from './reference.js';

const HEADER_FIELDS = 16;
const VERSION = 1;
/** The source of a column that reads no feature. The value of such a column is always NaN. */
export const NAN_COLUMN = 0xffffffff;
const NAN_IS_LOW = 0x80000000;
/**
 * A forest with more columns than this is not packed, because the kernels for packed forests
 * address the columns of 16 rows with 32-bit offsets.
 */
export const MAX_PACKED_COLUMNS = 2 ** 20;

/**
 * The columns that the nodes of a packed forest compare with thresholds. Each column is a feature,
 * or a copy of a feature in which -infinity replaces NaN. A branch in which NaN goes to the low
 * child reads such a copy.
 */
export class ColumnSources {
  readonly sources: Uint32Array;
  readonly #plain: Int32Array;
  readonly #nanIsLow: Int32Array;

  /** @param first the sources of columns that come before the columns of the features */
  constructor(forest: Forest, shape: ForestShape, first: readonly number[] = []) {
    const plain = new Int32Array(shape.features).fill(-1);
    const nanIsLow = plain.slice();
    for (let node = 0; node < forest.mode.length; node++) {
      if (forest.mode[node] === LEAF) continue;
      (normalNode(forest, node).nanIsLow ? nanIsLow : plain)[forest.feature[node]!] = 0;
    }
    const sources = [...first];
    for (let feature = 0; feature < shape.features; feature++) {
      if (plain[feature] === 0) plain[feature] = sources.push(feature) - 1;
      if (nanIsLow[feature] === 0) nanIsLow[feature] = sources.push((feature | NAN_IS_LOW) >>> 0) - 1;
    }
    this.sources = Uint32Array.from(sources);
    this.#plain = plain;
    this.#nanIsLow = nanIsLow;
  }

  /**
   * Whether kernels can read the features of a row without copying them to columns. This is true if
   * no column is a copy with -infinity, and at most half of the features are unused.
   */
  get areFeatures(): boolean {
    return this.#nanIsLow.every((column) => column < 0) && this.#plain.length <= 2 * this.sources.length;
  }

  of(feature: number, nanIsLow: boolean): number {
    return (nanIsLow ? this.#nanIsLow : this.#plain)[feature]!;
  }
}

/**
 * Writes the blob of a packed forest (native/README.md, section 3). `perfectForest` and
 * `linkedForest` use it.
 */
export class ForestBlob {
  readonly payload: LeafPayload;
  readonly #forest: Forest;
  readonly #shape: ForestShape;
  readonly #layout = new BlobLayout(HEADER_FIELDS);
  readonly #sections: { offset: number; data: Float32Array | Uint32Array }[] = [];

  constructor(forest: Forest, shape: ForestShape) {
    this.#forest = forest;
    this.#shape = shape;
    this.payload = shape.leafForm === 'weights' ? weightPayload(forest) : rowPayload(forest);
  }

  /** Adds a section to the blob and returns its offset. */
  section(data: Float32Array | Uint32Array): number {
    const offset = this.#layout.section(data.byteLength);
    this.#sections.push({ offset, data });
    return offset;
  }

  /**
   * Returns the bytes of the blob. `form` is field 6 of the header. `sectionOffsets` holds the
   * offsets of three sections: the nodes, then the leaves (`perfectForest`) or the first node of
   * each tree (`linkedForest`), then the depths of the trees.
   */
  finish(
    magic: number,
    form: number,
    sources: Uint32Array,
    sectionOffsets: readonly [number, number, number],
  ): Uint8Array {
    const { trees, targets, features } = this.#shape;
    const { rows } = this.payload;
    const offsets = [
      this.section(sources),
      ...sectionOffsets,
      this.section(treeTargets(this.#forest) ?? new Uint32Array(0)),
      this.section(rows),
      this.section(this.#forest.base),
    ];
    const bytes = new Uint8Array(this.#layout.totalBytes);
    const rowCount = rows.length / targets;
    const header = [magic, VERSION, trees, targets, sources.length, features, form, rowCount, ...offsets, bytes.length];
    new Uint32Array(bytes.buffer).set(header);
    for (const { offset, data } of this.#sections)
      bytes.set(new Uint8Array(data.buffer, data.byteOffset, data.byteLength), offset);
    return bytes;
  }
}
