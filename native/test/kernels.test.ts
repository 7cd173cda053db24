import { afterEach, describe, expect, it } from 'vitest';
import { exp, log, sigmoid, tanh } from '../../packages/core/src/math/exponential.js';
import { LaneSum } from '../../packages/core/src/math/sums.js';
import { seed as SEED } from '../../testing/seed.js';
import { Random, textProgram, wordDictionary } from './blobs.js';
import { type DTypeName, firstDifference, isas, Program } from './harness.js';

/**
 * Compares kernels with plain implementations of their definitions in native/README.md, bit by
 * bit, on every instruction set. The conformance tests compare the kernels of all operators.
 */

const random = new Random(SEED);
const { fround } = Math;

type Row = number[];
type Entries = Map<number, number>;
let program = new Program();
afterEach(() => {
  program.free();
  program = new Program();
});

const dense = (rows: number, size: number, specials = true): Row[] =>
  Array.from({ length: rows }, () => Array.from({ length: size }, () => random.float(specials)));
const floats = (count: number) => Float32Array.from({ length: count }, () => random.float(false));
const column = (rows: Row[]) => Float64Array.from(rows.flat());

/** Runs the program on every instruction set and compares the result with `expected`. */
function check(columns: (string[] | Float64Array)[], expected: Row[]): void {
  for (const isa of isas) {
    const actual = program.run(isa, columns, expected.length);
    const at = firstDifference(actual, expected.flat());
    expect(at, `${isa}, seed ${SEED}: number ${at} is ${actual[at]}, expected ${expected.flat()[at]}`).toBe(-1);
  }
}

const words = {
  mode: 'runs',
  minimumRun: 1,
  fold: (code: number) => code,
  isInClass: (code: number) => code > 32 && code < 127,
} as const;
const wordProgram = textProgram(words);

/**
 * Adds calls that compute random sparse rows: word counts of text_ngram, multiplied by fractions.
 * Returns the slot, the texts and the expected values.
 */
function sparse(rows: number, size: number, most = 60): { slot: number; texts: string[]; values: Entries[] } {
  const grams = Array.from({ length: size }, (_, at) => ({ symbols: [`w${at}`], column: at }));
  const dictionary = wordDictionary({ grams, columns: size, minN: 1, maxN: 1, seed: 1, load: 0.8 });
  const weights = floats(size);
  const input = program.input('text');
  const counts = program.call('text_ngram', [input], ['sparse', size], [wordProgram, dictionary], [0]);
  const slot = program.call('weight', [counts], ['sparse', size], [weights]);
  const ids = Array.from({ length: rows }, () => Array.from({ length: random.below(most) }, () => random.below(size)));
  const values = ids.map((row) => {
    const counted: Entries = new Map();
    for (const id of row) counted.set(id, (counted.get(id) ?? 0) + 1);
    return new Map([...counted].map(([id, count]) => [id, fround(count * weights[id]!)]));
  });
  return { slot, texts: ids.map((row) => row.map((id) => `w${id}`).join(' ')), values };
}

const toDense = (row: Entries, size: number): Row => Array.from({ length: size }, (_, at) => row.get(at) ?? 0);

describe('vectors', () => {
  it('weight, sparse', () => {
    const { slot, texts, values } = sparse(20, 50);
    program.output(slot);
    check(
      [texts],
      values.map((row) => toDense(row, 50)),
    );
  });

  it('weight, dense', () => {
    const [rows, weights] = [dense(9, 37), floats(37)];
    program.output(program.call('weight', [program.input('dense', 37)], ['dense', 37], [weights]));
    check(
      [column(rows)],
      rows.map((row) => row.map((value, at) => fround(value * weights[at]!))),
    );
  });

  const norm = (values: number[], kind: number): number => {
    if (kind === 2) return values.length ? values.reduce((best, value) => (value > best ? value : best)) : 0;
    const sum = new LaneSum(1);
    for (const value of values) kind === 0 ? sum.add(Math.abs(value)) : sum.add(fround(value * value));
    return kind === 0 ? sum.finish()[0]! : fround(Math.sqrt(sum.finish()[0]!));
  };
  const normalized = (values: number[], kind: number) => {
    const divisor = norm(values, kind);
    return divisor === 0 ? values : values.map((value) => fround(value / divisor));
  };

  it.each([0, 1, 2])('normalize %i', (kind) => {
    const rows = [...dense(9, 41, kind !== 0), ...dense(5, 41, false), Array.from({ length: 41 }, () => 0)];
    program.output(program.call('normalize', [program.input('dense', 41)], ['dense', 41], [], [kind]));
    check(
      [column(rows)],
      rows.map((row) => normalized(row, kind)),
    );
  });

  it.each([0, 1, 2])('normalize %i, sparse', (kind) => {
    const { slot, texts, values } = sparse(30, 70);
    program.output(program.call('normalize', [slot], ['sparse', 70], [], [kind]));
    const expected = values.map((row) => {
      const scaled = normalized([...row.values()], kind);
      return toDense(new Map([...row.keys()].map((id, at) => [id, scaled[at]!])), 70);
    });
    check([texts], expected);
  });

  it('concat and densify', () => {
    const a = sparse(8, 11);
    const b = sparse(8, 13);
    const c = dense(8, 3);
    const slot = program.input('dense', 3);
    const all = program.call('concat', [a.slot, slot, b.slot], ['sparse', 27]);
    program.output(program.call('densify', [all], ['dense', 27]));
    program.output(program.call('concat', [slot, slot], ['dense', 6]));
    const expected = c.map((row, at) => [
      ...toDense(a.values[at]!, 11),
      ...row,
      ...toDense(b.values[at]!, 13),
      ...row,
      ...row,
    ]);
    check([a.texts, b.texts, column(c)], expected);
  });

  it('select_columns and select_sparse', () => {
    const rows = dense(6, 9);
    const index = Int32Array.from({ length: 20 }, () => random.below(9));
    program.output(program.call('select_columns', [program.input('dense', 9)], ['dense', 20], [index]));
    const { slot, texts, values } = sparse(6, 12);
    const target = Int32Array.from([3, -1, 0, 1, -1, 7, 2, -1, 4, -1, 6, 5]);
    program.output(program.call('select_sparse', [slot], ['sparse', 8], [target]));
    const moved = values.map((row) => new Map([...row].map(([id, value]) => [target[id]!, value])));
    check(
      [column(rows), texts],
      rows.map((row, at) => [...[...index].map((from) => row[from]!), ...toDense(moved[at]!, 8)]),
    );
  });
});

describe('linear', () => {
  const product = (
    branches: { entries: [number, number][]; weights: Float32Array }[],
    bias: Float32Array,
  ): number[] => {
    const sums = branches.map(({ entries, weights }) => {
      const sum = new LaneSum(bias.length);
      for (const [id, value] of entries) sum.addProducts(value, weights, id * bias.length);
      return sum.finish();
    });
    return [...bias].map((shift, output) =>
      fround(sums.map((sum) => sum[output]!).reduce((a, b) => fround(a + b)) + shift),
    );
  };

  it.each([1, 2, 3, 4, 5, 6, 7, 8, 9, 17])('%i outputs', (outputs) => {
    const rows = 12;
    const [a, b] = [sparse(rows, 300, 200), sparse(rows, 40)];
    const c = dense(rows, 35, false);
    const inputs = [a.slot, b.slot, program.input('dense', 35)];
    const weights = [300, 40, 35].map((size) => floats(size * outputs));
    const bias = floats(outputs);
    program.output(program.call('linear', inputs, ['dense', outputs], [...weights, bias]));
    const expected = c.map((row, at) => {
      const entries = [[...a.values[at]!], [...b.values[at]!], row.map((value, id) => [id, value] as [number, number])];
      return product(
        entries.map((entry, branch) => ({ entries: entry, weights: weights[branch]! })),
        bias,
      );
    });
    check([a.texts, b.texts, column(c)], expected);
  });
});

describe('numbers', () => {
  it.each([exp, log, sigmoid, tanh])('map %o', (f) => {
    const rows = [
      ...dense(300, 8),
      ...Array.from({ length: 300 }, () => Array.from({ length: 8 }, () => fround((random.next() - 0.5) * 220))),
      [1e-40, 3e-39, 1e-45, 0.99999994, 1.0000001, 88.72, -103.97, 710].map(fround),
    ];
    const attribute = [exp, log, sigmoid, tanh].indexOf(f);
    program.output(program.call('map', [program.input('dense', 8)], ['dense', 8], [], [attribute]));
    check(
      [column(rows)],
      rows.map((row) => row.map((value) => fround(f(value)))),
    );
  });

  it.each([
    [4, (v: number) => (v > 0 || Number.isNaN(v) ? v : 0)],
    [5, (v: number) => -v],
    [6, Math.abs],
    [7, (v: number) => fround(Math.sqrt(v))],
  ] as const)('map %i', (attribute, f) => {
    const rows = dense(50, 8);
    program.output(program.call('map', [program.input('dense', 8)], ['dense', 8], [], [attribute]));
    check(
      [column(rows)],
      rows.map((row) => row.map(f)),
    );
  });

  it.each([0, 1])('softmax %i', (kind) => {
    const rows = dense(40, 7, false).map((row) => row.map((value) => (kind === 1 && random.next() < 0.2 ? 0 : value)));
    program.output(program.call('softmax', [program.input('dense', 7)], ['dense', 7], [], [kind]));
    const expected = rows.map((row) => {
      const top = row.reduce((best, value) => (value > best ? value : best));
      const powers = row.map((value) => (kind === 1 && value === 0 ? 0 : exp(value - top)));
      const sum = row.reduce((total, value, at) => (kind === 1 && value === 0 ? total : total + powers[at]!), 0);
      return row.map((value, at) => (kind === 1 && value === 0 ? 0 : fround(powers[at]! / sum)));
    });
    check([column(rows)], expected);
  });

  const operations = [
    (a: number, b: number) => a + b,
    (a: number, b: number) => a - b,
    (a: number, b: number) => a * b,
    (a: number, b: number) => a / b,
  ];
  const comparisons = [
    (a: number, b: number) => a > b,
    (a: number, b: number) => a < b,
    (a: number, b: number) => a === b,
    (a: number, b: number) => a >= b,
    (a: number, b: number) => a <= b,
  ];

  /** Tests a kernel with every shape of operands that arith and compare accept. */
  function combine(kernel: string, op: number, dtype: DTypeName, f: (a: number, b: number) => number): void {
    const [a, b, one] = [dense(7, 5), dense(7, 5), dense(7, 1)];
    const [wide, single] = [floats(5), floats(1)];
    const [slotA, slotB, slotOne] = [program.input('dense', 5), program.input('dense', 5), program.input('dense', 1)];
    const add = (inputs: number[], parameters: Float32Array[], side: number) =>
      program.output(program.call(kernel, inputs, ['dense', 5, dtype], parameters, [op, side]));
    add([slotA], [wide], 0);
    add([slotA], [wide], 1);
    add([slotA], [single], 0);
    add([slotOne], [wide], 1);
    add([slotA, slotB], [], 2);
    add([slotA, slotOne], [], 2);
    add([slotOne, slotB], [], 2);
    const expected = a.map((row, at) => [
      ...row.map((value, j) => f(value, wide[j]!)),
      ...row.map((value, j) => f(wide[j]!, value)),
      ...row.map((value) => f(value, single[0]!)),
      ...[...wide].map((value) => f(value, one[at]![0]!)),
      ...row.map((value, j) => f(value, b[at]![j]!)),
      ...row.map((value) => f(value, one[at]![0]!)),
      ...b[at]!.map((value) => f(one[at]![0]!, value)),
    ]);
    check([column(a), column(b), column(one)], expected);
  }
  it.each([0, 1, 2, 3])('arith %i', (op) => combine('arith', op, 'float32', (a, b) => fround(operations[op]!(a, b))));
  it.each([0, 1, 2, 3, 4])('compare %i', (op) =>
    combine('compare', op, 'bool', (a, b) => Number(comparisons[op]!(a, b))),
  );

  const limits = { int32: [-(2 ** 31), 2 ** 31 - 1], int64: [-(2 ** 63), 2 ** 63] } as const;
  function converted(value: number, from: DTypeName, to: DTypeName): number {
    if (to === 'bool') return value !== 0 ? 1 : 0;
    if (to === 'float32') return fround(value);
    if (to === 'int32' && from === 'int64')
      return Number(BigInt.asIntN(32, BigInt.asIntN(64, value >= 2 ** 63 ? 2n ** 63n - 1n : BigInt(value))));
    const [low, high] = limits[to as 'int32' | 'int64'];
    return Number.isNaN(value) ? low : Math.min(high, Math.max(low, Math.trunc(value))) + 0;
  }
  const types = ['float32', 'int64', 'int32', 'bool'] as const;
  it.each(types.flatMap((from) => types.map((to) => [from, to] as const)))('cast %s to %s', (from, to) => {
    const extremes = [[2147483647, 2147483648, -2147483649, 9.3e18, -9.3e18, 1e30, 0.9, -0.9]];
    const rows = [...dense(20, 8), ...extremes].map((row) => row.map((value) => converted(value, 'float64', from)));
    program.output(program.call('cast', [program.input('dense', 8, from)], ['dense', 8, to]));
    check(
      [column(rows)],
      rows.map((row) => row.map((value) => converted(value, from, to))),
    );
  });
});

describe('outputs', () => {
  it('arg_max, reduce, threshold', () => {
    const rows = [...dense(40, 6), ...dense(10, 6).map((row) => row.map(Math.round)), [Number.NaN, 1, 2, 3, 4, 5]];
    const first = rows.map((row) => [row[0]!]);
    const input = program.input('dense', 6);
    const scalar = program.input('dense', 1);
    const limit = new Int32Array(Float32Array.of(0.25).buffer)[0]!;
    program.output(program.call('arg_max', [input], ['dense', 1, 'int64']));
    for (const kind of [0, 1, 2]) program.output(program.call('reduce', [input], ['dense', 1], [], [kind]));
    program.output(program.call('threshold', [scalar], ['dense', 1, 'int64'], [], [limit]));
    const expected = rows.map((row) => {
      const best = row.reduce((at, value, index) => (value > row[at]! ? index : at), 0);
      const sum = row.reduce((total, value) => fround(total + value), 0);
      return [best, sum, fround(sum / 6), row[best]!, row[0]! > 0.25 ? 1 : 0];
    });
    check([column(rows), column(first)], expected);
  });

  it('logsumexp', () => {
    const rows = [
      ...dense(40, 6, false),
      [1, Infinity, 2, 3, 4, 5],
      Array.from({ length: 6 }, () => -Infinity),
      [-Infinity, 1, 2, 3, 4, 5],
    ];
    program.output(program.call('reduce', [program.input('dense', 6)], ['dense', 1], [], [3]));
    const expected = rows.map((row) => {
      const top = Math.max(...row);
      if (!Number.isFinite(top)) return [top];
      return [fround(top + log(row.reduce((total, value) => total + exp(value - top), 0)))];
    });
    check([column(rows)], expected);
  });

  it('mirror and binary_scores', () => {
    const rows = dense(50, 1);
    const input = program.input('dense', 1);
    program.output(program.call('mirror', [input], ['dense', 2]));
    for (const form of [0, 1, 2]) program.output(program.call('binary_scores', [input], ['dense', 2], [], [form]));
    const expected = rows.map(([s]) => [
      ...[fround(0 - s!), s!, fround(1 - s!), s!],
      ...[fround(sigmoid(-s!)), fround(sigmoid(s!)), fround(0 - s!), s!],
    ]);
    check([column(rows)], expected);
  });

  it('lookup', () => {
    const rows = [[-5], [0], [1], [2], [3], [99], [2 ** 40], [-(2 ** 40)]];
    const input = program.input('dense', 1, 'int64');
    program.output(program.call('lookup', [input], ['dense', 1, 'int64'], [BigInt64Array.of(10n, -20n, 30n)], [3]));
    program.output(program.call('lookup', [input], ['dense', 1, 'int32'], [Int32Array.of(7, 8, 9)], [3]));
    program.output(program.call('lookup', [input], ['dense', 1, 'label'], [], [3]));
    const expected = rows.map(([index]) => {
      const at = Math.min(2, Math.max(0, index!));
      return [[10, -20, 30][at]!, 7 + at, at];
    });
    check([column(rows)], expected);
  });

  it('csv_field', () => {
    const records = [
      'a,b,c',
      '"a,""x""",b',
      '',
      ',,',
      '"unterminated, "" field',
      'a,"b"tail,c',
      'ä,"ö\n,ü",ß',
      'a"b,c"d"',
      'a,b\nc,d',
      '"a"x\r\n,b',
      '\n,a',
    ];
    const field = (record: string, wanted: number): string => {
      const fields: string[] = [''];
      let isQuoted = false;
      let isStart = true;
      for (let at = 0; at < record.length; at++) {
        const c = record[at]!;
        if (isStart && c === '"') isQuoted = true;
        else if (isQuoted && c === '"' && record[at + 1] === '"') fields[fields.length - 1] += record[++at]!;
        else if (isQuoted && c === '"') isQuoted = false;
        else if (!isQuoted && c === ',') fields.push('');
        else if (!isQuoted && (c === '\n' || c === '\r')) break;
        else fields[fields.length - 1] += c;
        isStart = !isQuoted && c === ',';
      }
      return fields[wanted] ?? '';
    };
    const texts = [...new Set(records.flatMap((record) => [0, 1, 2].map((at) => field(record, at))))];
    const whole = { ...words, isInClass: () => true };
    const grams = texts.filter((text) => text !== '').map((text, at) => ({ symbols: [text], column: at }));
    const dictionary = wordDictionary({ grams, columns: grams.length, minN: 1, maxN: 1, seed: 3, load: 0.5 });
    const input = program.input('text');
    for (const at of [0, 1, 2]) {
      const slot = program.call('csv_field', [input], ['text'], [], [at, 44, 34]);
      program.output(
        program.call('text_ngram', [slot], ['sparse', grams.length], [textProgram(whole), dictionary], [0]),
      );
    }
    check(
      [records],
      records.map((record) =>
        [0, 1, 2].flatMap((at) => grams.map(({ symbols }) => (symbols[0] === field(record, at) ? 1 : 0))),
      ),
    );
  });
});

describe('tree_ensemble', () => {
  const LEAF = 6;
  interface Forest {
    feature: number[];
    threshold: number[];
    mode: number[];
    yes: number[];
    no: number[];
    missing: number[];
    roots: number[];
    leaves: [number, number][][];
  }

  /** Returns a random forest. Children have greater indices than their parents. */
  function forest(
    trees: number,
    depth: number,
    features: number,
    targets: number,
    modes: number[],
    weightsALeaf: number,
  ): Forest {
    const f: Forest = { feature: [], threshold: [], mode: [], yes: [], no: [], missing: [], roots: [], leaves: [] };
    const node = (left: number): number => {
      const at = f.mode.length;
      const isLeaf = left === 0 || random.next() < 0.1;
      f.feature.push(random.below(features));
      f.threshold.push(
        random.next() < 0.1 ? random.pick([0, -0, Number.NaN, Infinity, -Infinity]) : fround(random.below(9) - 4),
      );
      f.mode.push(isLeaf ? LEAF : random.pick(modes));
      f.missing.push(random.below(2));
      f.leaves.push([]);
      f.yes.push(0);
      f.no.push(0);
      if (isLeaf) {
        const count = weightsALeaf === 1 ? 1 : random.below(weightsALeaf + 1);
        f.leaves[at] = Array.from({ length: count }, () => [random.below(targets), random.float(false)]);
      } else {
        f.yes[at] = node(left - 1);
        f.no[at] = node(left - 1);
      }
      return at;
    };
    for (let tree = 0; tree < trees; tree++) f.roots.push(node(depth));
    return f;
  }

  const holds = [
    (x: number, t: number) => x <= t,
    (x: number, t: number) => x < t,
    (x: number, t: number) => x >= t,
    (x: number, t: number) => x > t,
    (x: number, t: number) => x === t,
    (x: number, t: number) => x !== t,
  ];
  function predict(f: Forest, row: Row, base: Float32Array): Row {
    const sums = new Float32Array(base.length);
    for (const root of f.roots) {
      let at = root;
      while (f.mode[at] !== LEAF) {
        const x = row[f.feature[at]!]!;
        at = (Number.isNaN(x) ? f.missing[at] === 1 : holds[f.mode[at]!]!(x, f.threshold[at]!))
          ? f.yes[at]!
          : f.no[at]!;
      }
      for (const [target, weight] of f.leaves[at]!) sums[target] = sums[target]! + weight;
    }
    return [...sums].map((sum, target) => fround(sum + base[target]!));
  }

  const shapes = [
    { trees: 1, depth: 3, targets: 1, modes: [0], weights: 1 },
    { trees: 37, depth: 7, targets: 1, modes: [0], weights: 1 },
    { trees: 20, depth: 5, targets: 1, modes: [0, 1, 2, 3], weights: 1 },
    { trees: 20, depth: 5, targets: 3, modes: [0, 1, 2, 3], weights: 2 },
    { trees: 11, depth: 5, targets: 2, modes: [0, 1, 2, 3, 4, 5], weights: 1 },
    { trees: 9, depth: 4, targets: 1, modes: [1, 2], weights: 3 },
    { trees: 0, depth: 1, targets: 2, modes: [0], weights: 1 },
  ];
  it.each(shapes)('%o', ({ trees, depth, targets, modes, weights }) => {
    const f = forest(trees, depth, 6, targets, modes, weights);
    const base = floats(targets);
    const rows = [
      ...dense(30, 6),
      ...dense(70, 6).map((row) => row.map((v) => Math.max(-5, Math.min(5, Math.round(v))))),
    ];
    const starts = [0];
    for (const leaf of f.leaves) starts.push(starts.at(-1)! + leaf.length);
    const parameters = [
      ...[Int32Array.from(f.feature), Float32Array.from(f.threshold)],
      ...[f.mode, f.yes, f.no, f.missing, f.roots, starts].map((numbers) => Int32Array.from(numbers)),
      Int32Array.from(f.leaves.flat().map(([target]) => target)),
      Float32Array.from(f.leaves.flat().map(([, weight]) => weight)),
      base,
    ];
    program.output(program.call('tree_ensemble', [program.input('dense', 6)], ['dense', targets], parameters));
    check(
      [column(rows)],
      rows.map((row) => predict(f, row, base)),
    );
  });
});
