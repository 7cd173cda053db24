import { type OnnxError, onnxError } from './errors.js';
import { ALLOWANCE, defaultImportLimits, greaterLimit, type ImportLimits } from './limits.js';

type Spendable = 'nodes' | 'elements' | 'bytes' | 'steps';

/** How much of each limit an import has used. */
export type Spent = Readonly<Record<Spendable, number>>;

const units: Readonly<Record<Spendable, string>> = {
  nodes: 'nodes, those of functions and subgraphs as often as they are used',
  elements: 'elements in lists that the import builds',
  bytes: 'bytes in lists that the import builds',
  steps: 'steps (slow work on one element counts as several steps)',
};

/** Size of one number in a JavaScript array, a BigInt64Array or a Float64Array, in bytes. */
const NUMBER_BYTES = 8;

/**
 * The steps that the budget counts for each element of a list of columns. The import computes the
 * list, copies it to a parameter and computes a checksum, which takes 25 to 50 ns per element.
 */
const COLUMN_STEPS = 13;

/**
 * Counts the work and the memory of one import. The importer subtracts memory and work before it
 * allocates or computes, so that rejecting a file takes little time. The budget counts operations
 * and reads no clock, so every machine accepts or rejects the same files.
 */
export class ImportBudget {
  readonly #limits: Record<Spendable, number>;
  readonly #spent: Record<Spendable, number> = { nodes: 0, elements: 0, bytes: 0, steps: 0 };

  /** Whether the size of a file increases the limit of nodes: only if it is the default. */
  readonly #growsNodes: boolean;

  /** @param fileBytes size of the file, which increases the limits. */
  constructor(limits: ImportLimits, fileBytes: number) {
    const { nodes, elements, bytes, steps } = limits;
    this.#limits = { nodes, elements, bytes, steps };
    this.#growsNodes = nodes === defaultImportLimits.nodes;
    this.allow(fileBytes);
  }

  /**
   * Increases the limits in proportion to the size of a file. Call this method once for each file
   * that the model uses.
   */
  allow(fileBytes: number): void {
    for (const name of ['elements', 'bytes', 'steps'] as const) this.#limits[name] += ALLOWANCE[name] * fileBytes;
    if (this.#growsNodes) this.#limits.nodes += Math.floor(ALLOWANCE.nodes * fileBytes);
  }

  /** The largest number of nodes, including what the size of the file adds. */
  get maxNodes(): number {
    return this.#limits.nodes;
  }

  /** Returns how much of each limit the import has used so far. */
  get spent(): Spent {
    return { ...this.#spent };
  }

  /**
   * Subtracts nodes from the budget. Call this method before you read them.
   * @throws ERR_ONNX_LIMIT
   */
  nodes(count: number, at: string): void {
    this.#take('nodes', count, at);
  }

  /**
   * Subtracts the elements of a list from the budget. Call this method before you allocate the
   * list.
   * @throws ERR_ONNX_LIMIT
   */
  list(elements: number, at: string, bytesPerElement = NUMBER_BYTES): void {
    this.#take('elements', elements, at);
    this.#take('bytes', elements * bytesPerElement, at);
    this.#take('steps', elements, at);
  }

  /**
   * Subtracts a list of columns from the budget: for each element of a result, the index of the
   * element to copy. Call this method before you allocate the list.
   * @throws ERR_ONNX_LIMIT
   */
  columns(elements: number, at: string): void {
    this.list(elements, at, Int32Array.BYTES_PER_ELEMENT);
    this.#take('steps', (COLUMN_STEPS - 1) * elements, at);
  }

  /**
   * Subtracts a list of computed elements from the budget. Call this method before you allocate the
   * list.
   * @param stepsPerElement the steps that an operator needs for each element.
   * @throws ERR_ONNX_LIMIT
   */
  computed(elements: number, stepsPerElement: number, at: string): void {
    this.list(elements, at);
    this.#take('steps', (stepsPerElement - 1) * elements, at);
  }

  /**
   * Throws if lists with this total number of elements exceed the remaining budget. Subtracts
   * nothing. A conversion that builds several lists calls this method first. Otherwise it would
   * build the first lists, although a later list exceeds the limit.
   * @throws ERR_ONNX_LIMIT
   */
  requireRoom(elements: number, at: string): void {
    for (const [name, count] of [
      ['elements', elements],
      ['steps', elements],
      ['bytes', elements * Int32Array.BYTES_PER_ELEMENT],
    ] as const) {
      const total = this.#spent[name] + count;
      if (!(total <= this.#limits[name])) throw this.#exceeded(name, total, at);
    }
  }

  /**
   * Subtracts bytes from the budget. Call this method before you allocate them.
   * @throws ERR_ONNX_LIMIT
   */
  bytes(count: number, at: string): void {
    this.#take('bytes', count, at);
  }

  /**
   * Subtracts work from the budget: weighted elements that the import reads or writes, and
   * multiplications. Call this method before the work.
   * @throws ERR_ONNX_LIMIT
   */
  steps(count: number, at: string): void {
    this.#take('steps', count, at);
  }

  /**
   * Returns whether a list fits in the remaining budget. Use this method if the import can also
   * work without the list.
   */
  hasRoomFor(elements: number): boolean {
    const fits = (count: number, name: Spendable) => count <= this.remaining(name);
    return fits(elements, 'elements') && fits(elements * NUMBER_BYTES, 'bytes') && fits(elements, 'steps');
  }

  /** Returns how much of a limit the import has not used. */
  remaining(name: Spendable): number {
    return this.#limits[name] - this.#spent[name];
  }

  #take(name: Spendable, count: number, at: string): void {
    const total = this.#spent[name] + count;
    // Written with `!` so that NaN also exceeds the limit.
    if (!(total <= this.#limits[name])) throw this.#exceeded(name, total, at);
    this.#spent[name] = total;
  }

  #exceeded(name: Spendable, total: number, at: string): OnnxError {
    return onnxError('ERR_ONNX_LIMIT', {
      expected: `at most ${this.#limits[name]} ${units[name]}`,
      received: `${total}`,
      at,
      hint: greaterLimit(name, doubled(total)),
    });
  }
}

/**
 * Returns a power of two that is at least twice the count. Error hints suggest it as the new limit,
 * so that the import does not fail again soon after.
 */
const doubled = (count: number): number =>
  Number.isFinite(count) ? Math.min(2 ** Math.ceil(Math.log2(Math.max(count, 1)) + 1), Number.MAX_SAFE_INTEGER) : count;
