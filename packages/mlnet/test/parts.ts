import { type Body, numbered, type Part, schemaOf } from './archive-file.js';

// Transforms and models as ML.NET saves them.

type Pairs = readonly (readonly [output: string, input: string])[];

const simple = (loader: string, version: number, write: (to: Body) => void, more: Partial<Part> = {}): Part => ({
  loader,
  version,
  write,
  ...more,
});

export const copy = (...pairs: Pairs) => simple('CopyTransform', 0x00010001, (to) => to.pairs(pairs));

export const select = (keep: boolean, names: readonly string[]) =>
  simple('SelectColumnsTransform', 0x00010001, (to) => {
    to.bool(keep).bool(false).bool(false).int(names.length);
    for (const name of names) to.string(name);
  });

export const concat = (output: string, ...inputs: string[]) =>
  simple('ConcatTransform', 0x00010003, (to) => {
    to.int(1).string(output).int(inputs.length);
    for (const input of inputs) to.string(input).int(-1);
  });

export type Terms = readonly string[] | Float32Array;

export const valueToKey = (output: string, input: string, terms: Terms) =>
  simple('TermTransform', 0x00010003, (to) => to.pairs([[output, input]]).bool(false), {
    parts: {
      Vocabulary: simple('TermManager', 0x00010002, (to) => {
        to.int(1);
        if (terms instanceof Float32Array) {
          to.byte(1)
            .bytes(Buffer.from('\x06Single\0', 'latin1'))
            .floats([...terms]);
          return;
        }
        to.byte(0).int(terms.length);
        for (const term of terms) to.string(term);
      }),
    },
  });

export const keyToValue = (...pairs: Pairs) => simple('KeyToValueTransform', 0x00010001, (to) => to.pairs(pairs));

export const keyToVector = (output: string, input: string) =>
  simple('KeyToVectorTransform', 0x00010002, (to) => to.pairs([[output, input]]).bool(false));

export const affine = (
  output: string,
  input: string,
  scale: readonly number[],
  offset: readonly number[],
  isVector = false,
) =>
  simple(
    'Normalizer',
    0x00010002,
    (to) => {
      to.pairs([[output, input]])
        .bool(isVector)
        .byte(9);
      if (isVector) to.ints([scale.length]);
    },
    {
      parts: {
        Normalizer_000: simple('AffineNormExec', 0x00010003, (to) =>
          to.int(4).int(scale.length).int(-1).floats(scale).floats(offset),
        ),
      },
    },
  );

export const hash = (output: string, input: string, hashBits: number, version: number) =>
  simple('HashTransform', version, (to) => {
    to.pairs([[output, input]])
      .int(hashBits)
      .int(314489979)
      .bool(false);
    if (version >= 0x00010004) to.bool(false);
  });

export const convert = (output: string, input: string, type: number) =>
  simple('ConvertTransform', 0x00010004, (to) => to.pairs([[output, input]]).byte(type));

export const replaceMissing = (output: string, input: string, value: number) =>
  simple('NAReplaceTransform', 0x00010002, (to) =>
    to
      .pairs([[output, input]])
      .bytes(Buffer.from('\x06Single\0', 'latin1'))
      .float(value),
  );

export const lpNorm = (output: string, input: string, norm: number, subtractMean = false, scale = 1) =>
  simple('GcnTransform', 0x00010003, (to) =>
    to
      .pairs([[output, input]])
      .bool(subtractMean)
      .byte(norm)
      .float(scale),
  );

export const normalizeText = (output: string, input: string, [action, ...keep]: readonly number[]) =>
  simple('TextNormalizerTransform', 0x00010001, (to) => {
    to.pairs([[output, input]]).byte(action!);
    for (const one of keep) to.byte(one);
  });

export const tokenizeWords = (output: string, input: string, separators: string) =>
  simple('TokenizeTextTransform', 0x00010001, (to) =>
    to
      .pairs([[output, input]])
      .int(separators.length)
      .bytes(Buffer.from(separators, 'utf16le')),
  );

export const tokenizeCharacters = (output: string, input: string, isMarked: boolean) =>
  simple('CharToken', 0x00010002, (to) =>
    to
      .pairs([[output, input]])
      .bool(isMarked)
      .bool(false),
  );

/** Encodes a key as LEB128, in which ML.NET stores the keys of n-grams. */
const leb = (key: number): number[] => (key < 0x80 ? [key] : [(key & 0x7f) | 0x80, ...leb(key >>> 7)]);

export const ngrams = (
  output: string,
  input: string,
  grams: readonly (readonly number[])[],
  weighting = 0,
  idf: readonly number[] = [],
) => {
  const longest = grams.reduce((most, gram) => Math.max(most, gram.length), 1);
  return simple('NgramTransform', 0x00010003, (to) => {
    to.pairs([[output, input]])
      .int(longest)
      .int(0)
      .int(weighting);
    for (let length = 1; length <= longest; length++) to.bool(grams.some((gram) => gram.length === length));
    const sequences = grams.map((gram) => gram.flatMap(leb));
    let end = 0;
    to.int(grams.length).int(0);
    for (const sequence of sequences) {
      end += sequence.length;
      to.int(end);
    }
    to.bytes(Uint8Array.from(sequences.flat())).doubles(idf);
  });
};

export const linear = (loader: string, weights: readonly number[], bias: number, more: Partial<Part> = {}) =>
  simple(loader, 0x00020001, (to) => to.int(4).float(bias).int(weights.length).ints([]).floats(weights), more);

/** Returns a linear model that lists only the weights that are not 0. */
export const sparseLinear = (weights: readonly number[], bias: number) => {
  const places = weights.flatMap((weight, at) => (weight === 0 ? [] : [at]));
  return simple('LinearRegressionExec', 0x00020001, (to) =>
    to
      .int(4)
      .float(bias)
      .int(weights.length)
      .ints(places)
      .floats(places.map((at) => weights[at]!)),
  );
};

export const multiclassLinear = (loader: string, rows: readonly (readonly number[])[], bias: readonly number[]) =>
  simple(loader, 0x00010001, (to) => {
    to.int(4).int(rows[0]!.length).int(rows.length);
    for (const one of bias) to.float(one);
    to.int(0).int(0).floats(rows.flat());
  });

export const platt = (slope: number, offset: number) =>
  simple('PlattCaliExec', 0x00010001, (to) => to.double(slope).double(offset));

export const calibrated = (model: Part, calibrator: Part): Part => ({
  loader: 'PMixCaliPredExec',
  version: 0x00010001,
  parts: { Predictor: model, Calibrator: calibrator },
});

export const oneVersusAll = (formula: number, models: readonly Part[]) =>
  simple('OVAExec', 0x00010001, (to) => to.int(4).byte(formula).int(models.length), {
    parts: Object.fromEntries(models.map((model, at) => [numbered('SubPredictor', at), model])),
  });

export const kMeans = (centers: readonly (readonly number[])[]) =>
  simple('KMeansPredictor', 0x00010002, (to) => {
    to.int(4).int(centers.length).int(centers[0]!.length);
    for (const center of centers) to.floats(center);
  });

/** A tree. A child below 0 is a leaf: the complement of its number. */
export interface TestTree {
  readonly lte: readonly number[];
  readonly gt: readonly number[];
  readonly feature: readonly number[];
  readonly threshold: readonly number[];
  readonly leaves: readonly number[];
  readonly missing?: readonly number[];
  /** The categories of nodes that test categories, by node. */
  readonly categories?: Readonly<Record<number, readonly number[]>>;
}

export const forest = (loader: string, version: number, features: number, trees: readonly TestTree[]) =>
  simple(loader, version, (to) => {
    to.int(4).int(trees.length);
    for (const tree of trees) writeTree(to, tree);
    to.double(0).int(-1).string('options').int(features);
  });

function writeTree(to: Body, tree: TestTree): void {
  to.byte(0).int(tree.leaves.length).double(1).double(1).ints(tree.lte).ints(tree.gt).ints(tree.feature);
  const categories = Object.entries(tree.categories ?? {});
  to.ints(categories.map(([node]) => Number(node)));
  for (const [, features] of categories) to.ints(features).int(features[0]!).int(features.at(-1)!);
  to.ints(tree.threshold.map(() => 0))
    .floats(tree.threshold)
    .floats(tree.missing ?? []);
  to.doubles(tree.leaves).doubles([]).doubles([]).doubles([]);
}

const trained = { TrainSchema: schemaOf({}) };

export const regression = (features: string, model: Part) =>
  simple('RegressionPredXfer', 0x00010001, (to) => to.string(features), { parts: { Model: model }, files: trained });

export const binary = (features: string, model: Part, threshold = 0, column = 'Score') =>
  simple('BinaryPredXfer', 0x00010001, (to) => to.string(features).float(threshold).string(column), {
    parts: { Model: model },
    files: trained,
  });

export const multiclass = (features: string, label: string | undefined, model: Part, files: Part['files'] = trained) =>
  simple(
    'MulticlassPredXfer',
    0x00010002,
    (to) => to.string(features).string(label).string('Score').string('PredictedLabel'),
    {
      parts: { Model: model },
      files: files ?? trained,
    },
  );

export const clustering = (features: string, model: Part) =>
  simple('ClusteringPredXfer', 0x00010001, (to) => to.string(features), { parts: { Model: model }, files: trained });
