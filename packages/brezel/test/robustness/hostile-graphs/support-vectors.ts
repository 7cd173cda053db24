import type { AttributeValue } from '@brezel/onnx';
import { file, floats, ml } from '../models.js';
import { type Case, i, ints, REFUSED, s, WEIGHT } from './case.js';

const { NaN: nan } = Number;
const machine = {
  kernel_type: s('RBF'),
  kernel_params: { floats: [0.5, 0, 3] },
  support_vectors: { floats: [0, 1, 1, 0] },
  coefficients: { floats: [1, -1] },
  rho: { floats: [0.25] },
};
const svm = (operator: string, given: Record<string, AttributeValue>, changes: Record<string, AttributeValue>) => () =>
  file(
    [
      ml(operator, ['x'], operator === 'SVMRegressor' ? ['y'] : ['label', 'y'], {
        ...machine,
        ...given,
        ...changes,
      }),
    ],
    floats(2),
    ['y'],
  );
const regressor = (changes: Record<string, AttributeValue>) => svm('SVMRegressor', { n_supports: i(2) }, changes);
const classifier = (changes: Record<string, AttributeValue>) =>
  svm('SVMClassifier', { vectors_per_class: ints(1, 1), classlabels_ints: ints(0, 1) }, changes);

/** Files with support vector machines. */
export const supportVectors: readonly Case[] = [
  ['a regressor', regressor({}), 'works'],
  ['a regressor of NaN', regressor({ kernel_params: { floats: [nan, nan, nan] }, rho: { floats: [nan] } }), WEIGHT],
  ['a power of 2^31', regressor({ kernel_type: s('POLY'), kernel_params: { floats: [1, 1, 2 ** 31] } }), 'works'],
  ['no kernel parameters', regressor({ kernel_params: { floats: [] } }), 'works'],
  ['a kernel that is none', regressor({ kernel_type: s('COSINE') }), REFUSED],
  ['another number of supports', regressor({ n_supports: i(3) }), REFUSED],
  ['supports below 0', regressor({ n_supports: i(-1) }), 'works'],
  ['supports of 2^40', regressor({ n_supports: i(2 ** 40) }), REFUSED],
  ['no support vectors', regressor({ support_vectors: { floats: [] } }), REFUSED],
  ['no rho', regressor({ rho: { floats: [] } }), REFUSED],
  ['coefficients missing', regressor({ coefficients: { floats: [1] } }), REFUSED],
  ['a classifier', classifier({}), 'works'],
  ['a classifier with probabilities', classifier({ prob_a: { floats: [-1] }, prob_b: { floats: [0] } }), 'works'],
  ['probabilities of NaN', classifier({ prob_a: { floats: [nan] }, prob_b: { floats: [nan] } }), WEIGHT],
  ['half of the probabilities', classifier({ prob_a: { floats: [1] } }), REFUSED],
  ['vectors of three classes for two', classifier({ vectors_per_class: ints(1, 1, 0) }), REFUSED],
  ['vectors below 0', classifier({ vectors_per_class: ints(3, -1) }), REFUSED],
  ['vectors of 2^40', classifier({ vectors_per_class: ints(2 ** 40, 1) }), REFUSED],
  ['two rhos for one pair', classifier({ rho: { floats: [1, 2] } }), REFUSED],
  ['coefficients of another number', classifier({ coefficients: { floats: [1, 2, 3] } }), REFUSED],
  ['one class', classifier({ classlabels_ints: ints(0), vectors_per_class: ints(2) }), REFUSED],
  ['no labels', classifier({ classlabels_ints: ints() }), REFUSED],
  [
    'no support vectors, weights',
    classifier({ vectors_per_class: ints(), coefficients: { floats: [1, 2, 3, 4] } }),
    'works',
  ],
  [
    'no support vectors, few weights',
    classifier({ vectors_per_class: ints(), coefficients: { floats: [1, 2] } }),
    REFUSED,
  ],
];
