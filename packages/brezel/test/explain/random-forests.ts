import fc from 'fast-check';

/**
 * Random forests over 5 features, with two targets, every mode, missing values, and splits with two
 * tests.
 */
export const forests = fc
  .array(fc.array(fc.nat(999), { minLength: 8, maxLength: 40 }), { minLength: 1, maxLength: 4 })
  .map((trees) => {
    const nodes: { feature: number; threshold: number; mode: number; missing: number; yes: number; no: number }[] = [];
    const cover: number[] = [];
    const add = (feature: number, threshold: number, mode: number, missing: number) => {
      cover.push(1 + ((feature + nodes.length) % 7));
      return nodes.push({ feature, threshold, mode, missing, yes: 0, no: 0 }) - 1;
    };
    const grow = (numbers: readonly number[]): number => {
      const [first = 0, ...others] = numbers;
      if (others.length < 2) return add(first % 5, first, 6, 0);
      const node = add(first % 5, (first % 9) / 2, first % 6, first % 2);
      const half = Math.floor(others.length / 2);
      const second = first % 4 === 0 ? add(first % 5, (first % 7) / 3, (first + 1) % 6, 0) : node;
      if (second !== node) cover[second] = Number.NaN;
      const [yes, no] = [grow(others.slice(0, half)), grow(others.slice(half))];
      Object.assign(nodes[second]!, { yes, no });
      if (second !== node) Object.assign(nodes[node]!, { yes, no: second });
      cover[node] = cover[yes]! + cover[no]!;
      return node;
    };
    const roots = trees.map(grow);
    const list = (name: 'feature' | 'mode' | 'missing' | 'yes' | 'no') => Int32Array.from(nodes, (node) => node[name]);
    const leaves = nodes.map(({ mode }) => (mode === 6 ? 1 : 0));
    return {
      ...{ feature: list('feature'), mode: list('mode'), trueChild: list('yes'), falseChild: list('no') },
      ...{ missingTrue: list('missing'), roots: Int32Array.from(roots), cover: Float32Array.from(cover) },
      threshold: Float32Array.from(nodes, ({ threshold }) => threshold),
      leafStart: Int32Array.from([
        0,
        ...leaves.map((_, at) => leaves.slice(0, at + 1).reduce<number>((sum, leaf) => sum + leaf, 0)),
      ]),
      leafTarget: Int32Array.from(nodes.flatMap(({ mode }, at) => (mode === 6 ? [at % 2] : []))),
      leafWeight: Float32Array.from(nodes.flatMap(({ mode, threshold }) => (mode === 6 ? [threshold / 7 - 50] : []))),
      base: Float32Array.of(0.5, -0.25),
    };
  });
