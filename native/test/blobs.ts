/**
 * Plain builders of the blobs that native/README.md section 3 describes, and naive versions of the
 * addon's algorithms.
 */

export const NONE = 0xffffffff;
const EMPTY_KEY = 0xfe;

// ---- seeded random numbers

/** A random generator (mulberry32). The same seed gives the same test. */
export class Random {
  constructor(private state: number) {}
  next(): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let t = Math.imul(this.state ^ (this.state >>> 15), this.state | 1);
    t = (t + Math.imul(t ^ (t >>> 7), t | 61)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  }
  below(limit: number): number {
    return Math.floor(this.next() * limit);
  }
  pick<T>(from: readonly T[]): T {
    return from[this.below(from.length)]!;
  }
  /** Returns a float32 of random magnitude, or sometimes a special value. */
  float(specials = true): number {
    if (specials && this.next() < 0.05)
      return Math.fround(this.pick([0, -0, Number.NaN, Infinity, -Infinity, 1e-40, 3e38]));
    return Math.fround((this.next() - 0.5) * 10 ** (this.below(6) - 2));
  }
}

// ---- hashes

const C = [0x9e3779b1, 0x85ebca77, 0xc2b2ae3d, 0x27d4eb2f] as const;
const rotl = (x: number, by: number) => (x << by) | (x >>> (32 - by));

function fmix32(value: number): number {
  let h = value;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}

function hash16(bytes: Uint8Array, seed: number): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, 16);
  const term = (place: number) => rotl(Math.imul(view.getUint32(place * 4, true), C[place]!), place * 8);
  return fmix32((Math.imul(view.getUint32(0, true), C[0]) ^ term(1) ^ term(2) ^ term(3) ^ seed) >>> 0);
}

function hashLong(word: Uint8Array, seed: number): number {
  let h = seed;
  for (let at = 0; at < word.length; at += 16) {
    const piece = new Uint8Array(16);
    piece.set(word.subarray(at, at + 16));
    h = hash16(piece, h);
  }
  return fmix32((h ^ word.length) >>> 0);
}

const hashGram = (parent: number, symbol: number, seed: number) =>
  fmix32((Math.imul(parent, C[0]) ^ rotl(Math.imul(symbol, C[1]), 16) ^ seed) >>> 0);

const bucketOf = (hash: number, buckets: number) => Number((BigInt(hash) * BigInt(buckets)) >> 32n);

// ---- layout

class Layout {
  #sections: { offset: number; bytes: Uint8Array }[] = [];
  #end: number;
  constructor(headerWords: number) {
    this.#end = headerWords * 4;
  }
  add(data: ArrayBufferView): number {
    const offset = Math.ceil(this.#end / 64) * 64;
    this.#sections.push({ offset, bytes: new Uint8Array(data.buffer, data.byteOffset, data.byteLength) });
    this.#end = offset + data.byteLength;
    return offset;
  }
  finish(header: (total: number) => number[]): Uint8Array {
    const blob = new Uint8Array(this.#end);
    const view = new DataView(blob.buffer);
    header(this.#end).forEach((word, at) => view.setUint32(at * 4, word, true));
    for (const { offset, bytes } of this.#sections) blob.set(bytes, offset);
    return blob;
  }
}

/** Splits a table over code points into pages. Equal pages are stored once. */
function paged(entry: (code: number) => number): { index: Uint16Array; pages: Int32Array; count: number } {
  const index = new Uint16Array(4352);
  const seen = new Map<string, number>();
  const pages: Int32Array[] = [];
  for (let page = 0; page < 4352; page++) {
    const values = new Int32Array(256);
    for (let low = 0; low < 256; low++) values[low] = entry(page * 256 + low);
    const key = Buffer.from(values.buffer).toString('latin1');
    if (!seen.has(key)) {
      seen.set(key, pages.length);
      pages.push(values);
    }
    index[page] = seen.get(key)!;
  }
  const all = new Int32Array(pages.length * 256);
  pages.forEach((values, at) => all.set(values, at * 256));
  return { index, pages: all, count: pages.length };
}

// ---- text programs

export interface TextRules {
  readonly mode: 'runs' | 'characters';
  readonly minimumRun: number;
  fold(code: number): number;
  isInClass(code: number): boolean;
}

export function textProgram(rules: TextRules): Uint8Array {
  const { index, pages, count } = pagesOf(rules);
  const ascii = new Uint8Array(256);
  for (let code = 0; code < 128; code++) {
    ascii[code] = rules.fold(code);
    ascii[128 + code] = rules.isInClass(rules.fold(code)) ? 1 : 0;
  }
  const layout = new Layout(9);
  const [indexAt, pagesAt, asciiAt] = [layout.add(index), layout.add(pages), layout.add(ascii)];
  const mode = rules.mode === 'runs' ? 0 : 1;
  return layout.finish((total) => [0x4b545a42, 1, mode, rules.minimumRun, indexAt, pagesAt, count, total, asciiAt]);
}

/**
 * A cache of pages by the functions `fold` and `isInClass`, because building the pages calls both
 * functions for every code point.
 */
const built = new WeakMap<TextRules['fold'], WeakMap<TextRules['isInClass'], ReturnType<typeof paged>>>();

function pagesOf({ fold, isInClass }: TextRules): ReturnType<typeof paged> {
  const byClass = built.get(fold) ?? new WeakMap();
  built.set(fold, byClass);
  const known = byClass.get(isInClass);
  if (known !== undefined) return known;
  const pages = paged((code) => {
    const folded = fold(code);
    return (folded - code) * 2 + (isInClass(folded) ? 1 : 0);
  });
  byClass.set(isInClass, pages);
  return pages;
}

export const foldText = (rules: TextRules, text: string) =>
  String.fromCodePoint(...[...text.toWellFormed()].map((character) => rules.fold(character.codePointAt(0)!)));

/** Returns the tokens of a text in the mode `runs`: runs of folded characters inside the class. */
export function tokens(rules: TextRules, text: string): string[] {
  const found: string[] = [];
  let run: string[] = [];
  for (const character of [...[...foldText(rules, text)], '']) {
    if (character !== '' && rules.isInClass(character.codePointAt(0)!)) {
      run.push(character);
    } else {
      if (run.length > 0 && run.length >= rules.minimumRun) found.push(run.join(''));
      run = [];
    }
  }
  return found;
}

// ---- text maps

export interface MapRules {
  map(code: number): readonly number[];
  /**
   * The code points that replace a capital sigma, at the end of a word and elsewhere. Also the
   * properties of code points by which the end of a word is found.
   */
  readonly sigma?: {
    readonly final: readonly number[];
    readonly other: readonly number[];
    isCased(code: number): boolean;
    isIgnorable(code: number): boolean;
  };
}

export function textMap({ map, sigma }: MapRules): Uint8Array {
  const pool: number[] = [];
  const entry = (code: number, to: readonly number[]): number => {
    if (to.length === 1 && to[0] === code) return NONE;
    pool.push(...to);
    return (pool.length - to.length) * 32 + to.length;
  };
  const { index, pages, count } = paged((code) => entry(code, map(code)) | 0);
  const ascii = new Uint8Array(256);
  for (let code = 0; code < 128; code++) {
    ascii[code] = map(code)[0] ?? 0;
    ascii[128 + code] = map(code).length;
  }
  const context = sigma && paged((code) => (sigma.isCased(code) ? 1 : 0) + (sigma.isIgnorable(code) ? 2 : 0));
  const [final, other] = sigma === undefined ? [NONE, NONE] : [entry(-1, sigma.final), entry(-1, sigma.other)];
  const layout = new Layout(14);
  const at = [index, pages, Uint32Array.from(pool), ascii].map((section) => layout.add(section));
  const contextAt = layout.add(context?.index ?? new Uint8Array());
  const contextPagesAt = layout.add(Uint8Array.from(context?.pages ?? []));
  return layout.finish((total) => [
    ...[0x4d545a42, 1, total, at[0]!, at[1]!, count, at[2]!, pool.length, at[3]!],
    ...[contextAt, contextPagesAt, context?.count ?? 0, final, other],
  ]);
}

// ---- dictionaries

/** An n-gram and its column; several n-grams may share a column. */
export interface Gram {
  readonly symbols: readonly string[];
  readonly column: number;
}

export interface DictionaryRules {
  readonly grams: readonly Gram[];
  readonly columns: number;
  readonly minN: number;
  readonly maxN: number;
  readonly seed: number;
  /** Average number of entries in a bucket. High values test overflow. */
  readonly load: number;
}

interface Nodes {
  readonly ids: Map<string, number>;
  readonly aliases: Uint32Array;
}

const gramKey = (symbols: readonly string[]) => symbols.join('\u0001');

/**
 * Numbers the nodes. The first n-gram of a column has the column's number. All other nodes
 * (prefixes, and further n-grams of a column) get the next numbers and an alias.
 */
function numberNodes(rules: DictionaryRules, alsoKnown: readonly string[]): Nodes {
  const ids = new Map<string, number>();
  const aliases: number[] = [];
  const behind = (key: string, column: number) => {
    ids.set(key, rules.columns + aliases.length);
    aliases.push(column);
  };
  const taken = new Set<number>();
  for (const { symbols, column } of rules.grams) {
    if (taken.has(column)) behind(gramKey(symbols), column);
    else ids.set(gramKey(symbols), column);
    taken.add(column);
  }
  for (const { symbols } of rules.grams) {
    for (let n = 1; n < symbols.length; n++) {
      const key = gramKey(symbols.slice(0, n));
      if (!ids.has(key)) behind(key, NONE);
    }
  }
  for (const symbol of alsoKnown) if (!ids.has(symbol)) behind(symbol, NONE);
  return { ids, aliases: Uint32Array.from(aliases) };
}

/** Distributes entries to 64-byte buckets. `write` writes an entry into its bucket. */
function fillBuckets<T>(
  entries: readonly T[],
  places: number,
  load: number,
  hash: (entry: T) => number,
  write: (entry: T, bucket: DataView, place: number) => void,
): { table: Uint8Array; buckets: number } {
  const buckets = Math.max(1, Math.ceil(entries.length / (places * load)));
  const table = new Uint8Array(buckets * 64);
  const used = new Uint8Array(buckets);
  for (const entry of entries) {
    let bucket = bucketOf(hash(entry), buckets);
    while (used[bucket] === places) {
      new DataView(table.buffer, bucket * 64).setUint32(60, 1, true);
      bucket = (bucket + 1) % buckets;
    }
    write(entry, new DataView(table.buffer, bucket * 64, 64), used[bucket]!++);
  }
  for (let bucket = 0; bucket < buckets; bucket++) {
    for (let place = used[bucket]!; place < places; place++) {
      if (places === 3) table[bucket * 64 + place * 16 + 15] = EMPTY_KEY;
      else table.fill(0xff, bucket * 64 + place * 8, bucket * 64 + place * 8 + 8);
    }
  }
  return { table, buckets };
}

function gramTable(rules: DictionaryRules, nodes: Nodes, directMax: number, symbolOf: (symbol: string) => number) {
  const entries = [...nodes.ids]
    .map(([key, node]) => ({ symbols: key.split('\u0001'), node }))
    .filter(({ symbols }) => symbols.length > Math.max(1, directMax))
    .map(({ symbols, node }) => ({
      parent: nodes.ids.get(gramKey(symbols.slice(0, -1)))!,
      symbol: symbolOf(symbols.at(-1)!),
      node,
    }));
  if (entries.length === 0) return { table: new Uint8Array(0), buckets: 0 };
  return fillBuckets(
    entries,
    5,
    rules.load,
    ({ parent, symbol }) => hashGram(parent, symbol, rules.seed ^ 0x5555),
    ({ parent, symbol, node }, bucket, place) => {
      bucket.setUint32(place * 8, parent, true);
      bucket.setUint32(place * 8 + 4, symbol, true);
      bucket.setUint32(40 + place * 4, node, true);
    },
  );
}

export function wordDictionary(rules: DictionaryRules): Uint8Array {
  const words = [...new Set(rules.grams.flatMap(({ symbols }) => symbols))];
  const nodes = numberNodes(rules, words);
  const pool: number[] = [];
  const encoder = new TextEncoder();
  const entries = words.map((word) => {
    const bytes = encoder.encode(word);
    const key = new Uint8Array(16);
    let hash: number;
    if (bytes.length <= 15) {
      key.set(bytes);
      key[15] = bytes.length;
      hash = hash16(key, rules.seed);
    } else {
      hash = hashLong(bytes, rules.seed);
      const view = new DataView(key.buffer);
      view.setUint32(0, hash, true);
      view.setUint32(8, pool.length, true);
      view.setUint32(12, (bytes.length | 0xff000000) >>> 0, true);
      pool.push(...bytes);
    }
    return { key, hash, node: nodes.ids.get(word)! };
  });
  const wordTable = fillBuckets(
    entries,
    3,
    rules.load,
    ({ hash }) => hash,
    ({ key, node }, bucket, place) => {
      key.forEach((byte, at) => bucket.setUint8(place * 16 + at, byte));
      bucket.setUint32(48 + place * 4, node, true);
    },
  );
  const grams = gramTable(rules, nodes, 0, (word) => nodes.ids.get(word)!);
  const layout = new Layout(25);
  const wordsAt = layout.add(wordTable.table);
  const gramsAt = layout.add(grams.table);
  const poolAt = layout.add(Uint8Array.from(pool));
  const aliasesAt = layout.add(nodes.aliases);
  return layout.finish((total) => [
    ...[0x474e5a42, 1, rules.columns, rules.minN, rules.maxN, rules.columns + nodes.aliases.length],
    ...[wordTable.buckets, wordsAt, grams.buckets, gramsAt, poolAt, pool.length, aliasesAt],
    ...[rules.seed, (rules.seed ^ 0x5555) >>> 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, total],
  ]);
}

export function characterDictionary(rules: DictionaryRules, directMax: number): Uint8Array {
  const characters = [...new Set(rules.grams.flatMap(({ symbols }) => symbols))].sort();
  const symbols = new Map(characters.map((character, at) => [character.codePointAt(0)!, at + 1]));
  const alphabet = characters.length + 1;
  const nodes = numberNodes(rules, []);
  const symbolOf = (character: string) => symbols.get(character.codePointAt(0)!)!;
  const direct = Array.from({ length: directMax }, (_, at) => new Uint32Array(alphabet ** (at + 1)).fill(NONE));
  for (const [key, node] of nodes.ids) {
    const gram = key.split('\u0001');
    if (gram.length <= directMax)
      direct[gram.length - 1]![gram.reduce((index, c) => index * alphabet + symbolOf(c), 0)] = node;
  }
  const grams = gramTable(rules, nodes, directMax, symbolOf);
  const { index, pages, count } = paged((code) => symbols.get(code) ?? 0);
  const layout = new Layout(25);
  const gramsAt = layout.add(grams.table);
  const emptyAt = layout.add(new Uint8Array(0));
  const aliasesAt = layout.add(nodes.aliases);
  const indexAt = layout.add(index);
  const pagesAt = layout.add(pages);
  const directAt = [...direct.map((table) => layout.add(table)), 0, 0, 0, 0].slice(0, 4);
  return layout.finish((total) => [
    ...[0x474e5a42, 1, rules.columns, rules.minN, rules.maxN, rules.columns + nodes.aliases.length],
    ...[0, emptyAt, grams.buckets, gramsAt, emptyAt, 0, aliasesAt, rules.seed, (rules.seed ^ 0x5555) >>> 0],
    ...[alphabet, indexAt, pagesAt, count, directMax, ...directAt, total],
  ]);
}

/**
 * Counts n-grams with a Map, in the order of the definition: all n-grams of one length before the
 * longer ones, and columns in order of first occurrence.
 */
export function countGrams(rules: DictionaryRules, symbols: readonly (string | undefined)[]): Map<number, number> {
  const columns = new Map(rules.grams.map(({ symbols, column }) => [gramKey(symbols), column]));
  const counts = new Map<number, number>();
  for (let n = rules.minN; n <= rules.maxN; n++) {
    for (let at = 0; at + n <= symbols.length; at++) {
      const gram = symbols.slice(at, at + n);
      if (gram.includes(undefined)) continue;
      const column = columns.get(gramKey(gram as string[]));
      if (column !== undefined) counts.set(column, (counts.get(column) ?? 0) + 1);
    }
  }
  return counts;
}

/**
 * Returns the symbols of a text in the mode `characters`. A symbol is undefined if the folded code
 * point is outside the class.
 */
export const characters = (rules: TextRules, text: string) =>
  [...foldText(rules, text)].map((character) => (rules.isInClass(character.codePointAt(0)!) ? character : undefined));
