// Tests the kinds of the results of numeric operators, and chains that must not compile. This code
// never runs. `types.test.ts` compiles it.
import type { FlourContext, Flow } from '@brezel/flour';

declare const flour: FlourContext;
const columns = flour.columns({ text: 'string', age: 'float32' });
const [text, age] = [columns.select('text'), columns.select('age')];
const x: Flow<'vector'> = text.charNgram({ vocabulary: [['a']] });
const bayes = { featureLogProb: [-1], classLogPrior: [0] };
const mixture = { weights: [1], means: [0], precisionsCholesky: [1] };
const trees = {
  forest: {
    feature: new Int32Array(1),
    threshold: new Float32Array(1),
    mode: new Int32Array(1),
    trueChild: new Int32Array(1),
    falseChild: new Int32Array(1),
    missingTrue: new Int32Array(1),
    roots: new Int32Array(1),
  },
  samples: [1],
  maxSamples: 1,
};

// The output `class` is a scalar, which `labels` accepts. All other outputs are vectors.
x.multinomialNaiveBayes({ ...bayes, output: 'class' }).labels(['a']);
x.bernoulliNaiveBayes(bayes).argMax();
x.gaussianMixture({ ...mixture, output: 'logLikelihood' }).normalize('l1');
x.kMeansCluster({ centers: [1] }).labels([1]);
x.isolationForest({ ...trees, output: 'label' }).asVector();
x.isolationForest(trees).platt({ slope: 1, offset: 0 });
x.project({ components: [1] })
  .polynomialFeatures()
  .mlp({ layers: [{ weights: [1], bias: [0], activation: 'softmax' }] });

// @ts-expect-error a class is not a vector
x.complementNaiveBayes({ ...bayes, output: 'class' }).argMax();
// @ts-expect-error a cluster is not a vector
x.kMeansCluster({ centers: [1] }).softmax();
// @ts-expect-error probabilities have no labels yet
x.gaussianMixture(mixture).labels(['a']);
// @ts-expect-error the score is already a vector
x.isolationForest(trees).asVector();
// @ts-expect-error there is no such activation
x.dense({ weights: [1], bias: [0], activation: 'swish' });
// @ts-expect-error there is no such output
x.gaussianMixture({ ...mixture, output: 'odds' });
// @ts-expect-error text has no features yet
text.neighborsRegressor({ points: [1], targets: [1], neighbors: 1 });
// @ts-expect-error a number is not a vector
age.binning({ edges: [[1]] });
// @ts-expect-error members are vectors
x.ensemble([age]);
