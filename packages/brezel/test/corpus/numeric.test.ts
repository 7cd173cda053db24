import { join } from 'node:path';
import { vector } from '@brezel/core';
import { createFlour, createRuntime, type Flow, loadNative } from 'brezel';
import { afterAll, describe, expect, test } from 'vitest';
import { type CorpusModel, compareRow, corpus, readModel } from './corpus.js';
import {
  counted,
  floatOf,
  floatsOf,
  forestOf,
  intsOf,
  logisticPair,
  OnnxParameters,
  scaled,
  turned,
} from './onnx-parameters.js';

// Compares operators with scikit-learn and onnxruntime. The parameters come from the converted
// model, the program is written by hand with methods of Flow, and the expected answers come from
// the corpus.

type Outputs = Readonly<Record<string, Flow>>;
type Build = (x: Flow<'vector'>, model: OnnxParameters) => Outputs;

/**
 * Returns the outputs of a converted classifier: the label of the highest score, and the scores.
 */
const classified = (probabilities: Flow<'vector'>, labels: readonly number[]): Outputs => ({
  label: probabilities.argMax().labels(labels),
  probabilities,
});

/**
 * Returns the layers of a converted perceptron, from the constants `coefficient`, `coefficient1`,
 * ... and `intercepts`.
 */
function layers(model: OnnxParameters, activations: readonly ('relu' | 'tanh' | 'sigmoid' | 'softmax' | 'none')[]) {
  return activations.map((activation, at) => ({
    weights: model.constant(`coefficient${at || ''}`),
    bias: model.constant(`intercepts${at || ''}`),
    activation,
  }));
}

/** Returns the means of a mixture. Exporters write x P - mean P, with an upper triangular P. */
function meanOf(factor: Float32Array, product: Float32Array): number[] {
  const size = product.length;
  const mean: number[] = [];
  for (let column = 0; column < size; column++) {
    const known = mean.reduce((sum, value, at) => sum + value * factor[at * size + column]!, 0);
    mean.push((-product[column]! - known) / factor[column * size + column]!);
  }
  return mean;
}

/**
 * Returns the outputs of a converted isolation forest. For each tree, the file has one ensemble,
 * and two tables from leaves to numbers.
 */
function isolationForest(x: Flow<'vector'>, model: OnnxParameters, maxSamples: number): Outputs {
  const trees = model.nodes('TreeEnsembleRegressor').map((node) => ({
    forest: forestOf(node, 'target', 1),
    number: Number(/\d+/.exec(node.name)![0]),
  }));
  const list = trees.toSorted((a, b) => a.number - b.number);
  const table = (value: string) => {
    const node = model.writer(value);
    return new Map(Array.from(intsOf(node, 'keys_int64s'), (key, at) => [key, floatsOf(node, 'values_floats')[at]!]));
  };
  const shifted = (pick: (forest: (typeof list)[number]['forest']) => Int32Array) => {
    let start = 0;
    return Int32Array.from(
      list.flatMap(({ forest }) => {
        const own = Array.from(pick(forest), (node) => node + start);
        start += forest.mode.length;
        return own;
      }),
    );
  };
  const joined = <A extends Int32Array | Float32Array>(pick: (forest: (typeof list)[number]['forest']) => A) =>
    list.flatMap(({ forest }) => [...pick(forest)]);
  const forest = {
    feature: Int32Array.from(joined((one) => one.feature)),
    threshold: Float32Array.from(joined((one) => one.threshold)),
    mode: Int32Array.from(joined((one) => one.mode)),
    missingTrue: Int32Array.from(joined((one) => one.missingTrue)),
    trueChild: shifted((one) => one.trueChild),
    falseChild: shifted((one) => one.falseChild),
    roots: shifted((one) => one.roots),
  };
  // The weight of a leaf is its index in the tables. Branches have an arbitrary count.
  const samples = list.flatMap(({ forest: one, number }) => {
    const counts = table(`node_sample${number}_Y02`);
    return Array.from(one.mode, (_, node) => counts.get(one.leafWeight[one.leafStart[node]!] ?? -1) ?? 1);
  });
  const options = { forest, samples, maxSamples };
  return {
    label: x.isolationForest({ ...options, output: 'label' }).asVector(),
    scores: x.isolationForest(options),
  };
}

const models: readonly { readonly name: string; readonly features: number; readonly build: Build }[] = [
  {
    name: 'num-iris-kmeans',
    features: 4,
    build(x, model) {
      const options = { centers: model.constant('Ge_Gemmcst'), squaredNorms: model.constant('Ad_Addcst') };
      return { label: x.kMeansCluster(options), scores: x.kMeansDistances(options) };
    },
  },
  {
    name: 'num-iris-gnb',
    features: 4,
    build(x, model) {
      const options = {
        theta: model.constant('theta'),
        variance: model.constant('sigma'),
        classPrior: [...model.constant('jointi')].map(Math.exp),
      };
      return {
        label: x.gaussianNaiveBayes({ ...options, output: 'class' }).labels([0, 1, 2]),
        probabilities: x.gaussianNaiveBayes(options),
      };
    },
  },
  {
    name: 'num-bc-gmm',
    features: 6,
    build(x, model) {
      const gemms = model
        .nodes('Concat')[0]!
        .input.map((square) => model.writer(model.writer(square).input[0]!))
        .map((gemm) => ({ factor: model.constant(gemm.input[1]!), product: model.constant(gemm.input[2]!) }));
      const options = {
        weights: [...model.constant('Ad_Addcst2')].map(Math.exp),
        means: gemms.flatMap(({ factor, product }) => meanOf(factor, product)),
        precisionsCholesky: gemms.flatMap(({ factor }) => [...factor]),
      };
      const features = scaled(x, model.nodes('Scaler')[0]!);
      return {
        label: features.gaussianMixture({ ...options, output: 'class' }).asVector(),
        probabilities: features.gaussianMixture(options),
      };
    },
  },
  {
    name: 'num-digits-bernoullinb',
    features: 64,
    build(x, model) {
      const options = {
        featureLogProb: turned(model.constant('feature_log_prob'), 64, 10),
        classLogPrior: model.constant('class_log_prior'),
        binarize: floatOf(model.nodes('Binarizer')[0]!, 'threshold'),
      };
      return {
        label: x.bernoulliNaiveBayes({ ...options, output: 'class' }),
        probabilities: x.bernoulliNaiveBayes(options),
      };
    },
  },
  {
    name: 'num-digits-mnb',
    features: 64,
    build(x, model) {
      const options = {
        featureLogProb: turned(model.constant('feature_log_prob'), 64, 10),
        classLogPrior: model.constant('class_log_prior'),
      };
      return {
        label: x.multinomialNaiveBayes({ ...options, output: 'class' }),
        probabilities: x.multinomialNaiveBayes(options),
      };
    },
  },
  { name: 'num-bc-isolationforest', features: 30, build: (x, model) => isolationForest(x, model, 256) },
  {
    name: 'num-winequality-isof-scaled',
    features: 11,
    build: (x, model) =>
      isolationForest(
        x.arithmetic('multiply', model.constant('Mu_Mulcst')).arithmetic('add', model.constant('Ad_Addcst')),
        model,
        256,
      ),
  },
  {
    name: 'num-winequality-maxabs-polylog',
    features: 11,
    build(x, model) {
      const features = scaled(x, model.nodes('Scaler')[0]!).polynomialFeatures({ interactionOnly: true });
      return classified(logisticPair(features, model.nodes('LinearClassifier')[0]!), [0, 1]);
    },
  },
  {
    name: 'num-winequality-kbins-logreg',
    features: 11,
    build(x, model) {
      const edges = Array.from({ length: 11 }, (_, column) => model.constant(`range_column${column || ''}`));
      const features = x.binning({ edges, output: 'oneHot' });
      return classified(logisticPair(features, model.nodes('LinearClassifier')[0]!), [0, 1]);
    },
  },
  {
    name: 'num-iris-knn',
    features: 4,
    build: (x, model) =>
      classified(
        x.neighborsClassifier({
          points: model.constant('Sc_Scancst'),
          classes: model.constant('knny_ArrayFeatureExtractorcst'),
          neighbors: 5,
        }),
        [0, 1, 2],
      ),
  },
  {
    name: 'num-winequality-knnreg',
    features: 11,
    build: (x, model) => ({
      variable1: scaled(x, model.nodes('Scaler')[0]!).neighborsRegressor({
        points: model.constant('Sc_Scancst'),
        targets: model.constant('knny_ArrayFeatureExtractorcst'),
        neighbors: 5,
      }),
    }),
  },
  {
    name: 'num-bc-mlp',
    features: 30,
    build(x, model) {
      const features = scaled(x, model.nodes('Scaler')[0]!);
      const positive = features.mlp({ layers: layers(model, ['relu', 'relu', 'sigmoid']) });
      return classified(positive.arithmetic('subtract', 1, 'left').concat(positive), [0, 1]);
    },
  },
  {
    name: 'num-diabetes-mlpreg-tanh',
    features: 10,
    build: (x, model) => ({
      variable: scaled(x, model.nodes('Scaler')[0]!).mlp({ layers: layers(model, ['tanh', 'none']) }),
    }),
  },
  {
    name: 'num-digits-mlp-relu',
    features: 64,
    build(x, model) {
      const features = scaled(x, model.nodes('Scaler')[0]!);
      return classified(
        features.mlp({ layers: layers(model, ['relu', 'softmax']) }),
        Array.from({ length: 10 }, (_, digit) => digit),
      );
    },
  },
  {
    name: 'num-bc-scaler-pca-logreg',
    features: 30,
    build(x, model) {
      const projected = scaled(x, model.nodes('Scaler')[0]!).project({
        components: turned(model.constant('transform_matrix'), 30, 8),
        mean: model.constant('mean'),
      });
      return classified(logisticPair(projected, model.nodes('LinearClassifier')[0]!), [0, 1]);
    },
  },
  {
    name: 'num-bc-calibrated-sigmoid-dt',
    features: 30,
    build(x, model) {
      const [first, second] = model.nodes('Mul').map((node) => {
        const sum = model.nodes('Add').find(({ input }) => input.includes(node.output[0]!))!;
        const column = model.writer(node.input.find((name) => name.startsWith('tdf'))!);
        const tree = model.writer(column.input[0]!);
        // The file contains one class. Its weight is the probability of the second label.
        const forest = forestOf(tree, 'class', 1);
        const scores = x.treeEnsemble({ ...forest, leafTarget: forest.leafTarget.fill(0) });
        const positive = scores.platt({ slope: model.operand(node), offset: model.operand(sum) });
        return positive.arithmetic('subtract', 1, 'left').concat(positive);
      });
      return classified(first!.ensemble([second!]), [0, 1]);
    },
  },
  {
    name: 'num-bc-stacking',
    features: 30,
    build(x, model) {
      const forest = forestOf(model.nodes('TreeEnsembleClassifier')[0]!, 'class', 1);
      const tree = x.treeEnsemble({ ...forest, leafTarget: forest.leafTarget.fill(0) });
      const bayes = x
        .gaussianNaiveBayes({
          theta: model.constant('theta'),
          variance: model.constant('sigma'),
          classPrior: [...model.constant('jointi')].map(Math.exp),
        })
        .selectColumns([1]);
      return classified(
        logisticPair(tree.ensemble([bayes], { combine: 'stack' }), model.nodes('LinearClassifier')[0]!),
        [0, 1],
      );
    },
  },
  {
    name: 'num-bc-voting-soft',
    features: 30,
    build(x, model) {
      const forest = forestOf(model.nodes('TreeEnsembleClassifier')[0]!, 'class', 1);
      const positive = x.treeEnsemble({ ...forest, leafTarget: forest.leafTarget.fill(0) });
      const tree = positive.arithmetic('subtract', 1, 'left').concat(positive);
      const logistic = logisticPair(scaled(x, model.nodes('Scaler')[0]!), model.nodes('LinearClassifier')[0]!);
      return classified(tree.ensemble([logistic], { weights: [0.5, 0.5] }), [0, 1]);
    },
  },
  {
    name: 'num-iris-ovr-logreg',
    features: 4,
    build(x, model) {
      const [first, ...others] = model
        .nodes('LinearClassifier')
        .toSorted((a, b) => (a.output[0]! < b.output[0]! ? -1 : 1))
        .map((node) => logisticPair(x, node).selectColumns([1]));
      return classified(first!.oneVersusAll(others), [0, 1, 2]);
    },
  },
];

/** Models over sparse word counts. */
const textModels: readonly {
  readonly name: string;
  readonly build: (text: Flow<'text'>, model: OnnxParameters) => Outputs;
}[] = [
  {
    name: 'sa-tfidf-w12-cnb-sms',
    build(text, model) {
      const features = counted(text, model)
        .tfIdf({ idf: model.constant('idfcst') })
        .normalize('l2');
      const options = {
        featureLogProb: turned(model.constant('feature_log_prob'), 2500, 2),
        classLogPrior: model.constant('class_log_prior'),
      };
      return {
        label: features.complementNaiveBayes({ ...options, output: 'class' }).labels(['ham', 'spam']),
        probabilities: features.complementNaiveBayes(options),
      };
    },
  },
  {
    name: 'sa-count-binary-bnb-sms',
    build(text, model) {
      const options = {
        featureLogProb: turned(model.constant('feature_log_prob'), 1816, 2),
        classLogPrior: model.constant('class_log_prior'),
      };
      const features = counted(text, model);
      return {
        label: features.bernoulliNaiveBayes({ ...options, output: 'class' }).labels(['ham', 'spam']),
        probabilities: features.bernoulliNaiveBayes(options),
      };
    },
  },
  {
    name: 'sa-tfidf-svd-logreg-amazon',
    build(text, model) {
      const features = counted(text, model)
        .tfIdf({ idf: model.constant('idfcst') })
        .normalize('l2');
      const projected = features.project({ components: turned(model.constant('transform_matrix'), 1500, 30) });
      return classified(logisticPair(projected, model.nodes('LinearClassifier')[0]!), [0, 1]);
    },
  },
];

const flour = await createFlour();
const runtime = createRuntime({ store: flour.store });
const { addon } = loadNative();
afterAll(async () => {
  await runtime.close();
  flour.dispose();
});

/** Registers a program, predicts a batch, and returns the differences. */
async function replay(name: string, write: (parameters: OnnxParameters) => Outputs): Promise<string[]> {
  const model = readModel(join(corpus!, 'pipelines', name));
  const registered = runtime.register(flour.program(write(new OnnxParameters(model.bytes))).plan());
  if (addon !== undefined) expect(registered.engine).toBe('native');
  const rows = model.inputs.map(({ X, ...text }) => (X === undefined ? text : { X: (X as unknown[]).map(Number) }));
  const answers = await runtime.predictBatch(registered, rows);
  expect(answers.length).toBe(model.expected.length);
  return answers.flatMap((answer, row) => failureOf(model, row, answer) ?? []);
}

describe.skipIf(corpus === undefined)('operators with the parameters of converted models', () => {
  test.each(models)('$name', async ({ name, features, build }) => {
    const x = flour.input('X', vector('float32', features)) as Flow<'vector'>;
    expect(await replay(name, (parameters) => build(x, parameters))).toEqual([]);
  });

  test.each(textModels)('$name', async ({ name, build }) => {
    const text = flour.columns({ text: 'string' }).select('text');
    expect(await replay(name, (parameters) => build(text, parameters))).toEqual([]);
  });
});

/**
 * Returns a text about the difference of an answer, or undefined if the answer is correct. Real
 * rows must agree with the converted model and with the training library. Unusual rows (values up
 * to 3.4e38, NaN) must agree with one of them. If the training library rejects an unusual row, only
 * onnxruntime's arithmetic has an answer, and the answer of an operator may differ.
 */
function failureOf(model: CorpusModel, row: number, answer: Readonly<Record<string, unknown>>): string | undefined {
  const failure = compareRow(model, row, answer);
  const second = disagreement(model, row, answer);
  return row < model.meta.normal_rows ? (failure ?? second) : failure && second;
}

/**
 * Returns a text about the difference from the training library, which computes in float64. Returns
 * undefined if the labels are equal and the numbers differ by at most 1e-3.
 */
function disagreement(model: CorpusModel, row: number, answer: Readonly<Record<string, unknown>>): string | undefined {
  const want = model.sklearn![row]!;
  if ('__error' in want) return undefined;
  const { label, ...numbers } = answer;
  const labels = [label ?? []].flat();
  const isNear = [Object.values(numbers)].flat(2).every((value, at) => {
    const other = [want.scores].flat()[at] as number;
    return Math.abs((value as number) - other) <= 1e-4 + 1e-3 * Math.abs(other);
  });
  if (isNear && labels.every((one) => one === want.label)) return undefined;
  return `${model.name}, row ${row}: ${JSON.stringify(answer)} instead of scikit-learn's ${JSON.stringify(want)}`;
}
