import type { Flow } from '@brezel/flour';
import { type Column, floatsOf, type KeyValues, valueColumn } from '../column.js';
import type { TransformReader } from '../component.js';
import { damaged } from '../errors.js';
import type { ModelPart } from '../model-part.js';
import type { NewStep, Pipeline } from '../pipeline.js';
import { readSchema } from '../schema.js';
import type { Predictor } from './predictor.js';
import { readPredictor } from './read-predictor.js';

const SCORE = 'Score';
const PROBABILITY = 'Probability';
const PREDICTED = 'PredictedLabel';

/**
 * Reads the model of a scorer. Also adds the schema of its training data, which may declare input
 * columns that no other schema declares.
 */
function readModel(part: ModelPart, pipeline: Pipeline): Predictor {
  const trained = part.file('TrainSchema');
  if (trained !== undefined) pipeline.addSource(readSchema(trained, `${part.folder}/TrainSchema`));
  const model = part.part('Model');
  const predictor = readPredictor(model);
  pipeline.operators[model.loader] = (pipeline.operators[model.loader] ?? 0) + 1;
  return predictor;
}

function ofOneScore(part: ModelPart, predictor: Predictor): Predictor {
  if (predictor.targets === 1) return predictor;
  throw damaged(part.at, 'a model of one score', `${predictor.targets} scores`);
}

function featuresName(part: ModelPart): string {
  const name = part.stringOrNull();
  if (name === undefined) throw damaged(part.at, 'the name of the features', 'none');
  return name;
}

/** Returns the score column: one number, or one number for each class or cluster. */
const scoreStep = (
  part: ModelPart,
  features: string,
  { score }: Predictor,
  several?: { readonly name: string },
): NewStep => ({
  output: several?.name ?? SCORE,
  inputs: [features],
  apply([column]) {
    const scores = score(floatsOf(column!, part.at));
    return valueColumn(several ? scores : scores.asScalar());
  },
});

/** Reads a scorer for regression or ranking, which writes only the score column. */
export const scoreOnly: TransformReader = {
  newest: 0x00010001,
  read(part, pipeline) {
    const features = featuresName(part);
    part.end();
    pipeline.add(part.at, [scoreStep(part, features, ofOneScore(part, readModel(part, pipeline)))]);
    pipeline.predicted = [SCORE];
  },
};

export const binary: TransformReader = {
  newest: 0x00010001,
  read(part, pipeline) {
    const features = featuresName(part);
    const threshold = part.float();
    const thresholdColumn = part.string();
    part.end();
    const predictor = ofOneScore(part, readModel(part, pipeline));
    const { probability } = predictor;
    pipeline.add(part.at, [scoreStep(part, features, predictor)]);
    if (probability !== undefined) pipeline.add(part.at, [ofNumber(PROBABILITY, SCORE, part, probability)]);
    const isProbability = thresholdColumn === PROBABILITY && probability !== undefined;
    const above = (score: Flow<'vector'>) => score.compare('greater', threshold);
    pipeline.add(part.at, [ofNumber(PREDICTED, isProbability ? PROBABILITY : SCORE, part, above)]);
    pipeline.predicted = [PREDICTED, SCORE, ...(probability === undefined ? [] : [PROBABILITY])];
  },
};

const ofNumber = (
  output: string,
  input: string,
  part: ModelPart,
  apply: (score: Flow<'vector'>) => Flow<'vector', unknown, readonly unknown[]>,
): NewStep => ({
  output,
  inputs: [input],
  apply: ([column]) => valueColumn(apply(floatsOf(column!, part.at)).asScalar()),
});

export const multiclass: TransformReader = {
  newest: 0x00010002,
  read(part, pipeline) {
    const features = featuresName(part);
    const label = part.stringOrNull();
    const names = part.version >= 0x00010002 ? [part.stringOrNull(), part.stringOrNull()] : [];
    part.end();
    const [score = SCORE, predicted = PREDICTED] = names;
    const predictor = readModel(part, pipeline);
    const keys = label === undefined ? undefined : pipeline.column(label)?.keys;
    pipeline.add(part.at, [scoreStep(part, features, predictor, { name: score })]);
    pipeline.add(part.at, [best(predicted, score, part, predictor.targets, keys, (scores) => scores)]);
    pipeline.predicted = [predicted, score];
  },
};

export const clustering: TransformReader = {
  newest: 0x00010001,
  read(part, pipeline) {
    const features = featuresName(part);
    part.end();
    const predictor = readModel(part, pipeline);
    pipeline.add(part.at, [scoreStep(part, features, predictor, { name: SCORE })]);
    const nearest = (distances: Flow<'vector'>) => distances.map('negate');
    pipeline.add(part.at, [best(PREDICTED, SCORE, part, predictor.targets, undefined, nearest)]);
    pipeline.predicted = [PREDICTED, SCORE];
  },
};

/**
 * Returns a column with the key of the class whose number in `order(scores)` is the greatest. Of
 * equal numbers, the first one wins. `keys` are the values of the label.
 */
function best(
  output: string,
  input: string,
  part: ModelPart,
  classes: number,
  keys: KeyValues | undefined,
  order: (scores: Flow<'vector'>) => Flow<'vector'>,
): NewStep {
  const values = keys?.values.length === classes ? keys : undefined;
  return {
    output,
    inputs: [input],
    keys: values,
    apply([column]): Column {
      const place = order(floatsOf(column!, part.at)).argMax();
      return { kind: 'key', place, count: classes, ...(values && { values }) };
    },
  };
}
