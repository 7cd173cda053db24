import { setImmediate as nextTurn } from 'node:timers/promises';
import { deserialize, serialize } from 'node:v8';

/**
 * A value in serialized pieces. The event loop can run between the pieces while another thread
 * reads the value. A structured clone of the whole value would block the event loop: a plan with
 * 8000 inputs takes more than 20 ms.
 */
export interface SentValue {
  /** The value, in which each long list and each object with many values is empty. */
  readonly value: Uint8Array<ArrayBuffer>;
  /** The long lists and objects. Each comes before the lists and objects in its items. */
  readonly lists: readonly SentList[];
}

/** The items of a list, or the fields of an object. */
interface SentList {
  /** The names and indices that lead from the value to the list or object. */
  readonly path: readonly string[];
  readonly pieces: readonly Uint8Array<ArrayBuffer>[];
}

/**
 * A piece ends when it holds at least this many objects and primitive values. Reading a piece takes
 * less than a millisecond.
 */
const PIECE_VALUES = 500;

/**
 * Serializes plain data in pieces. Equal lists and objects of primitive values, such as types,
 * become one object in each piece, so that the thread that reads the value creates fewer objects.
 * Other objects that occur twice are copied.
 */
export function sentValue(value: unknown): SentValue {
  const lists: SentList[] = [];
  const { rest } = split(value, [], { lists, shared: new Map() });
  return { value: bytesOf(rest), lists: lists.reverse() };
}

interface Splitting {
  readonly lists: SentList[];
  /** The lists and objects of primitive values, by their JSON. */
  readonly shared: Map<string, object>;
}

/** Returns the buffers of a value, which `postMessage` can transfer. */
export const buffersOf = ({ value, lists }: SentValue): ArrayBuffer[] =>
  [value, ...lists.flatMap(({ pieces }) => pieces)].map(({ buffer }) => buffer);

/** Reads a value. The event loop runs between pieces. */
export async function receivedValue<T>({ value, lists }: SentValue): Promise<T> {
  const received = deserialize(value);
  for (const { path, pieces } of lists) {
    let list = received;
    for (const name of path) list = list[name];
    for (const piece of pieces) {
      await nextTurn();
      append(list, deserialize(piece));
    }
  }
  return received as T;
}

/** Appends items to a list, or adds fields to an object. */
function append(target: Record<string, unknown> | unknown[], piece: object): void {
  if (Array.isArray(target)) {
    target.push(...(piece as unknown[]));
    return;
  }
  for (const [name, value] of Object.entries(piece)) {
    // an assignment to this name would set the prototype
    if (name === '__proto__')
      Object.defineProperty(target, name, { value, enumerable: true, writable: true, configurable: true });
    else target[name] = value;
  }
}

/**
 * Moves long lists, and objects with many values, from a value to `lists`. Returns the rest of the
 * value, and the number of values in it.
 */
function split(value: unknown, path: readonly string[], splitting: Splitting): { rest: unknown; count: number } {
  if (!isPlain(value)) return { rest: value, count: 1 };
  if (isShareable(value)) return { rest: sharedOf(value, splitting), count: 1 };
  let count = 1;
  const rests: Entry[] = [];
  const counts: number[] = [];
  const entries = Array.isArray(value) ? Array.from(value, (item, index) => [`${index}`, item]) : Object.entries(value);
  for (const [name, item] of entries) {
    const part = split(item, [...path, name], splitting);
    rests.push([name, part.rest]);
    counts.push(part.count);
    count += part.count;
  }
  const joined = (part: readonly Entry[]) =>
    Array.isArray(value) ? part.map(([, item]) => item) : Object.fromEntries(part);
  if (count <= PIECE_VALUES) return { rest: joined(rests), count };
  splitting.lists.push({ path, pieces: piecesOf(rests, counts).map((part) => bytesOf(joined(part))) });
  return { rest: joined([]), count: 1 };
}

/** A list or an object with more values than this is not shared: computing its JSON takes time. */
const MOST_SHARED_VALUES = 8;

/** Returns whether a value contains only few values, and JSON can express each of them. */
function isShareable(value: object): boolean {
  const values = Array.isArray(value) ? value : Object.values(value);
  return values.length <= MOST_SHARED_VALUES && values.every(isJson);
}

const isJson = (value: unknown): boolean =>
  typeof value === 'string' ||
  typeof value === 'boolean' ||
  value === null ||
  (Number.isFinite(value) && !Object.is(value, -0));

/** Returns the first list or object with the same values, in the same order. */
function sharedOf(value: object, { shared }: Splitting): object {
  const json = JSON.stringify(value);
  const first = shared.get(json);
  if (first === undefined) shared.set(json, value);
  return first ?? value;
}

/** The name of a field, or the index of an item, with its value. */
type Entry = readonly [name: string, value: unknown];

/** Returns whether a value is a list or an object without a class. */
const isPlain = (value: unknown): value is object =>
  Array.isArray(value) ||
  (value !== null && typeof value === 'object' && Object.getPrototypeOf(value) === Object.prototype);

function piecesOf(entries: readonly Entry[], counts: readonly number[]): Entry[][] {
  const pieces: Entry[][] = [];
  let from = 0;
  let count = 0;
  for (let at = 0; at < entries.length; at++) {
    count += counts[at]!;
    if (count < PIECE_VALUES && at + 1 < entries.length) continue;
    pieces.push(entries.slice(from, at + 1));
    [from, count] = [at + 1, 0];
  }
  return pieces;
}

const bytesOf = (value: unknown): Uint8Array<ArrayBuffer> => new Uint8Array(serialize(value));
