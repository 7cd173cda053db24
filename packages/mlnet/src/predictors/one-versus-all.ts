import type { Flow } from '@brezel/flour';
import { unsupported } from '../errors.js';
import type { ModelPart } from '../model-part.js';
import type { Predictor } from './predictor.js';

/**
 * How the scores of the classes are computed from the scores of the two-class models. The archive
 * contains an index into this list.
 */
const formulas = ['raw', 'probabilities', 'softmax'] as const;

/**
 * Reads a model that contains one two-class model for each class. The file selects a formula for
 * the scores of the classes: the scores of the models; the probabilities of the models, divided by
 * their sum; or the softmax of the scores.
 */
export function oneVersusAll(part: ModelPart, readPredictor: (part: ModelPart) => Predictor): Predictor {
  part.floatSize();
  const formula = formulas[part.byte()];
  const count = part.int();
  part.end();
  if (formula === undefined || !(count >= 1 && count <= MOST_CLASSES))
    throw part.fail(`a formula below ${formulas.length} and 1 to ${MOST_CLASSES} models`, `${formula}, ${count}`);
  const models = Array.from({ length: count }, (_, at) =>
    readPredictor(part.part(`SubPredictor_${String(at).padStart(3, '0')}`)),
  );
  if (models.some(({ targets, probability }) => targets !== 1 || (formula === 'probabilities' && !probability)))
    throw unsupported(
      part.at,
      formula === 'probabilities' ? 'models without a calibrator' : 'models of several classes',
    );
  return {
    targets: count,
    score(features) {
      const [first, ...others] = models.map(({ score, probability }) => {
        const own = score(features);
        return formula === 'probabilities' ? probability!(own) : own;
      }) as [Flow<'vector'>, ...Flow<'vector'>[]];
      if (formula === 'probabilities') return first.oneVersusAll(others);
      const scores = first.concat(...others);
      return formula === 'softmax' ? scores.softmax() : scores;
    },
  };
}

const MOST_CLASSES = 2 ** 16;
