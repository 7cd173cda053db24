import { NONE } from './dictionary.js';
import { GramSet } from './gram-table.js';
import type { DictionarySource, SelectedGrams } from './select-grams.js';

/**
 * A direct table has at most this many cells (8 MiB), and there are direct tables only for n-grams
 * of up to `DIRECT_MAX` symbols.
 */
const DIRECT_CELLS = 2 ** 21;
const DIRECT_MAX = 4;

/** The n-grams of a dictionary and their prefixes. A node is the number of an n-gram or prefix. */
export interface NumberedGrams {
  readonly nodes: number;
  /**
   * The first `columnCount` nodes are columns: node `i` is column `i`. For each later node
   * `columnCount + i`, `aliases[i]` is its column, or NONE if the node is only a prefix.
   */
  readonly aliases: Int32Array;
  /**
   * The symbol of each token. In a word dictionary, it is the node of the word, or NONE. In a
   * character dictionary, it is a number from 1 to alphabet - 1, or 0 for an unused token.
   */
  readonly symbols: Int32Array;
  /** The number of symbols of a character dictionary, including 0. For a word dictionary: 0. */
  readonly alphabet: number;
  /**
   * The direct tables for n = 1, 2, ... of a character dictionary. A cell contains the node of an
   * n-gram. Empty for words.
   */
  readonly direct: readonly Int32Array[];
  /** The n-grams that have no direct table. */
  readonly set: GramSet;
}

/**
 * Finds and adds the nodes of n-grams with the same number of symbols. The nodes are stored in the
 * list of tokens, in a direct table, or in the set of n-grams.
 */
interface Level {
  find(gram: number): number;
  add(gram: number, node: number): void;
}

/**
 * Assigns a node to every n-gram and to every prefix of an n-gram. Shorter n-grams come first.
 * Cost: O(total tokens).
 */
export function numberGrams(source: DictionarySource, selected: SelectedGrams): NumberedGrams {
  const { grams } = source;
  const { maxN } = selected;
  const words = source.unit === 'word';
  const nodes = new NodeNumbers(source.columnCount);
  const symbols = words ? new Int32Array(source.tokens.length).fill(NONE) : numberCharacters(selected.usedTokens);
  const alphabet = words ? 0 : 1 + symbols.reduce((last, symbol) => Math.max(last, symbol), 0);
  const direct = words ? [] : directTables(alphabet, maxN);
  const set = new GramSet();
  /** For each n-gram: the node of its first `size - 1` symbols. */
  const prefixes = new Int32Array(selected.count);
  const tokenOf = (gram: number, position: number) => grams[selected.starts[gram]! + position]!;
  const symbolOf = (gram: number, position: number) => symbols[tokenOf(gram, position)]!;

  for (let size = 1; size <= maxN; size++) {
    const table = direct[size - 1];
    if (table !== undefined) {
      numberLevel(
        directLevel(table, (gram) => directIndex(gram, size, alphabet, symbolOf)),
        size,
        selected,
        nodes,
        prefixes,
      );
    } else if (size > 1) {
      numberLevel(
        setLevel(set, prefixes, (gram) => symbolOf(gram, size - 1)),
        size,
        selected,
        nodes,
        prefixes,
      );
    } else {
      numberLevel(
        directLevel(symbols, (gram) => tokenOf(gram, 0)),
        size,
        selected,
        nodes,
        prefixes,
      );
      for (let token = 0; token < symbols.length; token++) {
        // Words that are never the first word of an n-gram also need a node.
        if (selected.usedTokens[token] === 1 && symbols[token] === NONE) symbols[token] = nodes.ofPrefix();
      }
    }
  }
  return { nodes: nodes.count, aliases: nodes.aliases, symbols, alphabet, direct, set };
}

function numberLevel(
  level: Level,
  size: number,
  { bySize, columns, count }: SelectedGrams,
  nodes: NodeNumbers,
  prefixes: Int32Array,
): void {
  const end = bySize[size]!;
  for (let gram = bySize[size - 1]!; gram < end; gram++) {
    if (level.find(gram) !== NONE) continue; // listed twice: the first one counts
    level.add(gram, nodes.ofColumn(columns[gram]!));
  }
  for (let gram = end; gram < count; gram++) {
    let node = level.find(gram);
    if (node === NONE) {
      node = nodes.ofPrefix();
      level.add(gram, node);
    }
    prefixes[gram] = node;
  }
}

const directLevel = (table: Int32Array, indexOf: (gram: number) => number): Level => ({
  find: (gram) => table[indexOf(gram)]!,
  add: (gram, node) => {
    table[indexOf(gram)] = node;
  },
});

const setLevel = (set: GramSet, prefixes: Int32Array, lastSymbol: (gram: number) => number): Level => ({
  find: (gram) => set.find(prefixes[gram]!, lastSymbol(gram)),
  add: (gram, node) => set.add(prefixes[gram]!, lastSymbol(gram), node),
});

function directIndex(
  gram: number,
  size: number,
  alphabet: number,
  symbolOf: (gram: number, position: number) => number,
): number {
  let index = 0;
  for (let position = 0; position < size; position++) index = index * alphabet + symbolOf(gram, position);
  return index;
}

function directTables(alphabet: number, maxN: number): Int32Array[] {
  const tables: Int32Array[] = [];
  for (let size = 1; size <= Math.min(maxN, DIRECT_MAX) && alphabet ** size <= DIRECT_CELLS; size++) {
    tables.push(new Int32Array(alphabet ** size).fill(NONE));
  }
  return tables;
}

/**
 * Returns the symbol of each token: 1, 2, 3, ... for tokens that an n-gram contains, and 0 for
 * other tokens.
 */
function numberCharacters(usedTokens: Uint8Array): Int32Array {
  const symbols = new Int32Array(usedTokens.length);
  let last = 0;
  for (let token = 0; token < usedTokens.length; token++) if (usedTokens[token] === 1) symbols[token] = ++last;
  return symbols;
}

/**
 * Assigns numbers to nodes. The first n-gram of a column gets the number of the column. Other
 * n-grams and prefixes get numbers above all columns.
 */
class NodeNumbers {
  readonly #columns: number;
  readonly #taken: Uint8Array;
  #aliases = new Int32Array(64);
  #extra = 0;

  constructor(columns: number) {
    this.#columns = columns;
    this.#taken = new Uint8Array(columns);
  }

  get count(): number {
    return this.#columns + this.#extra;
  }

  get aliases(): Int32Array {
    return this.#aliases.subarray(0, this.#extra);
  }

  ofColumn(column: number): number {
    if (this.#taken[column] === 1) return this.#add(column);
    this.#taken[column] = 1;
    return column;
  }

  ofPrefix(): number {
    return this.#add(NONE);
  }

  #add(alias: number): number {
    if (this.#extra === this.#aliases.length) {
      const larger = new Int32Array(this.#extra * 2);
      larger.set(this.#aliases);
      this.#aliases = larger;
    }
    this.#aliases[this.#extra] = alias;
    return this.#columns + this.#extra++;
  }
}
