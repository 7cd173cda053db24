import type { FileBytes } from '@brezel/object-store';

/** A range of a file in bytes. */
export interface FileRange {
  readonly offset: number;
  readonly bytes: number;
}

/**
 * Bytes that the background thread reads in one request. `Prefault` chooses the next range between
 * two requests.
 */
const PIECE = 8 << 20;
/**
 * The largest gap in bytes between two ranges that are read as one. A second request to the
 * background thread takes longer than reading such a gap. The joined range has at most `PIECE`
 * bytes.
 */
const GAP = 64 << 10;

/**
 * Reads all pages of a mapped file in a background thread, so that first predictions find them in
 * memory. Ranges that were passed to `first` are read before the remaining file. The object starts
 * one request after another, so it uses one background thread.
 *
 * Mapping the pages (MAP_POPULATE) is not enough. Under a hypervisor, the first read of a page that
 * was just loaded from disk takes 8 µs, and a cold prediction reads dozens of pages.
 */
export class Prefault {
  /** Resolves when all pages were read, or after `close`. */
  readonly done: Promise<void>;
  readonly #touch: NonNullable<FileBytes['touch']>;
  readonly #end: number;
  #position = 0;
  #urgent: FileRange[] = [];
  /**
   * Offsets of the ranges that were passed to `first`. Several plans can share a parameter, and
   * then pass the same range; it is read once.
   */
  readonly #known = new Set<number>();
  #isOver = false;

  /** Starts reading a file of `end` bytes. */
  constructor(touch: NonNullable<FileBytes['touch']>, end: number) {
    this.#touch = touch;
    this.#end = end;
    this.done = this.#run();
  }

  /**
   * Puts ranges in the queue, so that they are read before the rest of the file. Ranges of earlier
   * calls are read first.
   */
  first(ranges: readonly FileRange[]): void {
    if (this.#isOver) return;
    for (const { offset, bytes } of ranges) {
      if (this.#known.has(offset)) continue;
      this.#known.add(offset);
      for (let at = offset; at < offset + bytes; at += PIECE)
        this.#add({ offset: at, bytes: Math.min(PIECE, offset + bytes - at) });
    }
  }

  /**
   * Adds a range to the queue. If the gap after the last range of the queue is small, extends the
   * last range instead, to at most `PIECE` bytes.
   */
  #add({ offset, bytes }: FileRange): void {
    const last = this.#urgent.at(-1);
    const end = offset + bytes;
    const isNext = last !== undefined && offset >= last.offset && offset - (last.offset + last.bytes) <= GAP;
    if (isNext && end - last.offset <= PIECE)
      this.#urgent[this.#urgent.length - 1] = { offset: last.offset, bytes: Math.max(last.bytes, end - last.offset) };
    else this.#urgent.push({ offset, bytes });
  }

  /** Stops reading after the current range. */
  close(): void {
    this.#isOver = true;
    this.#urgent = [];
  }

  async #run(): Promise<void> {
    await undefined; // lets the caller take plans, whose ranges are then read first
    for (let next = this.#next(); next !== undefined; next = this.#next()) await this.#touch(next.offset, next.bytes);
    this.close();
  }

  #next(): FileRange | undefined {
    if (this.#isOver) return undefined;
    const urgent = this.#urgent.shift();
    if (urgent !== undefined || this.#position >= this.#end) return urgent;
    const offset = this.#position;
    this.#position = Math.min(this.#end, offset + PIECE);
    return { offset, bytes: this.#position - offset };
  }
}
