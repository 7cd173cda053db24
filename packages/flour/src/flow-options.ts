import { checkOptionNames, type DictionaryType, type OptionNames, optionNames } from '@brezel/core';
import type { BlackBoxOptions } from './black-box.js';
import type { MeanVarianceOptions, MinMaxOptions } from './compositions/affine-normalize.js';
import type { AnalyzerOptions } from './compositions/count-vectorizer/analyzer.js';
import type { CountVectorizerOptions } from './compositions/count-vectorizer/index.js';
import type { GaussianNaiveBayesOptions } from './compositions/gaussian-naive-bayes.js';
import type { HashingVectorizerOptions } from './compositions/hashing-vectorizer.js';
import type { LabelEncodeOptions } from './compositions/label-encode/index.js';
import type { MlpOptions } from './compositions/mlp.js';
import type { TfidfVectorizerOptions } from './compositions/tfidf-vectorizer.js';
import { FlourContext } from './context.js';
import { flourError } from './errors.js';
import { Flow } from './flow.js';
import type * as op from './generated/ops.js';
import './generated/ops.js';

const analyzer: { readonly [Name in keyof Required<AnalyzerOptions>]: true } = {
  analyzer: true,
  ngramRange: true,
  lowercase: true,
  stripAccents: true,
  stopWords: true,
  tokenPattern: true,
  binary: true,
};
const linear = optionNames<op.LinearOptions>({ weights: true, bias: true });
const ngrams = {
  vocabulary: true,
  minN: true,
  maxN: true,
  binary: true,
  maxSkip: true,
  statistics: true,
} as const;
const hashedNgrams = {
  columns: true,
  hashBits: true,
  seed: true,
  minN: true,
  maxN: true,
  signed: true,
  alternateSign: true,
  binary: true,
} as const;
const naiveBayes = { featureLogProb: true, classLogPrior: true, output: true } as const;
const neighbors = {
  points: true,
  neighbors: true,
  weights: true,
  metric: true,
  power: true,
  nearness: true,
} as const;
const kMeans = optionNames<op.KMeansOptions>({ centers: true, squaredNorms: true });
const custom: OptionNames = { attributes: true, parameters: true, statistics: true };

/**
 * The option names of the methods of `Flow`. Entry `i` of the list holds the methods whose argument
 * `i` is the object with the options.
 */
const ofFlow: readonly { readonly [Method in keyof Flow]?: OptionNames }[] = [
  {
    plan: optionNames<{ name?: string }>({ name: true }),
    argMax: optionNames<op.ArgMaxOptions & { parts: number }>({ of: true, equals: true, parts: true }),
    bernoulliNaiveBayes: optionNames<op.BernoulliNaiveBayesOptions>({ ...naiveBayes, binarize: true }),
    binning: optionNames<op.BinningOptions>({ edges: true, edgeIn: true, output: true, fixZero: true }),
    cdfNormalize: optionNames<op.CdfNormalizeOptions>({ mean: true, deviation: true, log: true }),
    charNgram: optionNames<op.CharNgramOptions>({ ...ngrams, padded: true }),
    complementNaiveBayes: optionNames<op.NaiveBayesOptions>(naiveBayes),
    countVectorizer: optionNames<CountVectorizerOptions>({ vocabulary: true, ...analyzer }),
    cumulativeSum: optionNames<op.CumulativeSumOptions>({ exclusive: true, reverse: true }),
    dense: optionNames<op.DenseOptions>({ weights: true, bias: true, activation: true }),
    dictVectorizer: optionNames<op.DictVectorizerOptions>({ featureNames: true, separator: true }),
    featureHasher: optionNames<op.FeatureHasherOptions>({ nFeatures: true, alternateSign: true }),
    gaussianMixture: optionNames<op.GaussianMixtureOptions>({
      weights: true,
      means: true,
      precisionsCholesky: true,
      covarianceType: true,
      output: true,
    }),
    gaussianNaiveBayes: optionNames<GaussianNaiveBayesOptions>({
      theta: true,
      variance: true,
      classPrior: true,
      output: true,
    }),
    hashCharNgram: optionNames<op.HashCharNgramOptions>({ ...hashedNgrams, padded: true }),
    hashKey: optionNames<op.HashKeyOptions>({ hashBits: true, seed: true, scheme: true, first: true }),
    hashNgram: optionNames<op.HashNgramOptions>(hashedNgrams),
    hashingVectorizer: optionNames<HashingVectorizerOptions>({
      nFeatures: true,
      norm: true,
      alternateSign: true,
      ...analyzer,
    }),
    impute: optionNames<op.ImputeOptions>({ values: true, missing: true }),
    imputeText: optionNames<op.ImputeTextOptions>({ value: true, missing: true }),
    isolationForest: optionNames<op.IsolationForestOptions>({
      forest: true,
      samples: true,
      maxSamples: true,
      offset: true,
      output: true,
    }),
    isotonic: optionNames<op.IsotonicOptions>({ x: true, y: true, least: true, greatest: true }),
    kMeansCluster: kMeans,
    kMeansDistances: kMeans,
    labelEncode: optionNames<LabelEncodeOptions>({ keys: true, values: true, otherwise: true, type: true }),
    linear,
    logistic: linear,
    lpNorm: optionNames<op.LpNormOptions>({ norm: true, subtractMean: true, scale: true }),
    markEnds: optionNames<op.MarkEndsOptions>({ start: true, end: true }),
    matMul: optionNames<{ weights: op.LinearOptions['weights'] }>({ weights: true }),
    meanVarianceNormalize: optionNames<MeanVarianceOptions>({ mean: true, variance: true, fixZero: true }),
    minMaxNormalize: optionNames<MinMaxOptions>({ minimum: true, maximum: true, fixZero: true }),
    mlp: optionNames<MlpOptions>({ layers: true }),
    multinomialNaiveBayes: optionNames<op.NaiveBayesOptions>(naiveBayes),
    murmurHash3: optionNames<op.MurmurHash3Options>({ seed: true, signed: true }),
    neighborsClassifier: optionNames<op.NeighborsClassifierOptions>({
      ...neighbors,
      classes: true,
      classCount: true,
    }),
    neighborsRegressor: optionNames<op.NeighborsRegressorOptions>({ ...neighbors, targets: true }),
    normalizeText: optionNames<op.NormalizeTextOptions>({
      case: true,
      keepDiacritics: true,
      keepPunctuations: true,
      keepNumbers: true,
    }),
    oneHot: optionNames<op.OneHotOptions>({ categories: true, unknown: true }),
    oneHotHash: optionNames<op.OneHotHashOptions>({ hashBits: true, seed: true }),
    parseNumber: optionNames<op.ParseNumberOptions>({ to: true, unknown: true }),
    platt: optionNames<op.PlattOptions>({ slope: true, offset: true }),
    polynomialFeatures: optionNames<op.PolynomialFeaturesOptions>({
      degree: true,
      interactionOnly: true,
      includeBias: true,
    }),
    preprocess: optionNames<op.PreprocessTextOptions>({ lowercase: true, stripAccents: true }),
    project: optionNames<op.ProjectOptions>({ components: true, mean: true, explainedVariance: true }),
    scale: optionNames<op.ScaleOptions>({ offset: true, scale: true }),
    softmax: optionNames<op.LinearOptions & op.SoftmaxOptions>({
      weights: true,
      bias: true,
      logarithm: true,
      parts: true,
    }),
    stringNormalize: optionNames<op.StringNormalizeOptions>({ case: true, stopWords: true, caseSensitive: true }),
    svmKernel: optionNames<op.SvmKernelOptions>({
      kernel: true,
      supportVectors: true,
      gamma: true,
      coef0: true,
      degree: true,
    }),
    svmPairs: optionNames<op.SvmPairsOptions>({ vectorsPerClass: true, coefficients: true, rho: true }),
    svmProbabilities: optionNames<op.PairwisePlattOptions>({ classes: true, slope: true, offset: true }),
    tfIdf: optionNames<{ idf: op.LinearOptions['weights'] }>({ idf: true }),
    tfidfVectorizer: optionNames<TfidfVectorizerOptions>({
      vocabulary: true,
      idf: true,
      norm: true,
      sublinearTf: true,
      ...analyzer,
    }),
    tokenize: optionNames<op.TokenizeOptions>({ by: { pattern: true, separators: true }, minLength: true }),
    topK: optionNames<op.TopKOptions>({ k: true, least: true }),
    wordNgram: optionNames<op.NgramOptions>(ngrams),
  },
  {
    blackBox: optionNames<BlackBoxOptions>({
      size: true,
      dtype: true,
      input: true,
      output: true,
      others: true,
    }),
    custom,
    ensemble: optionNames<op.EnsembleOptions>({ combine: true, weights: true }),
    gather: optionNames<{ block?: number }>({ block: true }),
    indexOf: optionNames<op.IndexOfOptions>({ unknown: true }),
    lookupKeys: optionNames<op.DictionaryLookupOptions>({ unknown: true, otherwise: true }),
    map: optionNames<op.MapShape>({ alpha: true, beta: true }),
    narrow: optionNames<op.NarrowOptions>({ outside: true }),
    oneVersusAll: optionNames<{ normalize?: boolean }>({ normalize: true }),
    reduce: optionNames<{ parts: number }>({ parts: true }),
  },
  { scatter: optionNames<op.ScatterOptions>({ reduction: true, block: true }) },
];

const ofContext: readonly { readonly [Method in keyof FlourContext]?: OptionNames }[] = [
  {},
  {
    dictionary: optionNames<Omit<DictionaryType, 'kind'>>({ keys: true, values: true }),
    csv: optionNames<op.CsvOptions>({ name: true, separator: true, quote: true }),
    program: optionNames<{ name?: string; inputs?: readonly Flow[] }>({ name: true, inputs: true }),
  },
  { custom },
];

/**
 * Replaces each listed method of `methods` with a method that first rejects unknown options.
 */
function checkOptionsOf(methods: object, tables: readonly Readonly<Record<string, OptionNames>>[]): void {
  for (const [index, table] of tables.entries()) {
    for (const [name, names] of Object.entries(table)) {
      const method = Reflect.get(methods, name) as (...values: unknown[]) => unknown;
      const checked = function (this: unknown, ...values: unknown[]): unknown {
        if (values[index] !== undefined)
          checkOptionNames(values[index], names, (details) => flourError('ERR_FLOUR_PARAM', details), name);
        return method.apply(this, values);
      };
      Reflect.set(methods, name, checked);
    }
  }
}

checkOptionsOf(Flow.prototype, ofFlow);
checkOptionsOf(FlourContext.prototype, ofContext);
