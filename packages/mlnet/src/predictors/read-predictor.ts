import { unsupported } from '../errors.js';
import { type ModelPart, versionText } from '../model-part.js';
import { readCalibrator } from './calibrate.js';
import { kMeans } from './k-means.js';
import { linear, multiclassLinear } from './linear.js';
import { oneVersusAll } from './one-versus-all.js';
import type { Predictor } from './predictor.js';
import { type TreeVersions, trees } from './trees.js';

interface PredictorReader {
  readonly newest: number;
  readonly read: (part: ModelPart) => Predictor;
}

const boosted: TreeVersions = { features: 0x00010002, missing: 0x00010004, categories: 0x00010005 };
const tweedie: TreeVersions = { features: 0x00010001, missing: 0x00010002, categories: 0x00010003 };
const bagged: TreeVersions = { weights: 0x00010002, features: 0x00010003, missing: 0x00010005, categories: 0x00010006 };

const boostedReader: PredictorReader = { newest: 0x00010005, read: (part) => trees(part, boosted) };
const calibratedReader: PredictorReader = { newest: 0x00010001, read: calibrated };

/** Predictor readers by loader name. */
const readers: Readonly<Record<string, PredictorReader>> = {
  Linear2CExec: { newest: 0x00020002, read: (part) => withCalibrator(linear(part), part) },
  LinearRegressionExec: { newest: 0x00020001, read: (part) => linear(part) },
  PoissonRegressionExec: { newest: 0x00020001, read: (part) => linear(part, (score) => score.map('exp')) },
  MulticlassLinear: { newest: 0x00010001, read: (part) => multiclassLinear(part, false) },
  MultiClassLRExec: { newest: 0x00010003, read: (part) => multiclassLinear(part, true) },
  FastTreeBinaryExec: { newest: 0x00010005, read: (part) => withCalibrator(trees(part, boosted), part) },
  FastTreeRegressionExec: boostedReader,
  FastTreeRankerExec: boostedReader,
  FastTreeTweedieExec: {
    newest: 0x00010003,
    read(part) {
      const { score, targets } = trees(part, tweedie);
      return { targets, score: (features) => score(features).map('exp') };
    },
  },
  FastForestBinaryExec: { newest: 0x00010006, read: (part) => withCalibrator(trees(part, bagged, true), part) },
  FastForestRegressionExec: { newest: 0x00010006, read: (part) => trees(part, bagged, true) },
  LightGBMBinaryExec: { newest: 0x00010005, read: (part) => withCalibrator(trees(part, boosted), part) },
  LightGBMRegressionExec: boostedReader,
  LightGBMRankerExec: boostedReader,
  CaliPredExec: calibratedReader,
  BulkCaliPredExec: calibratedReader,
  FeatWCaliPredExec: calibratedReader,
  PMixCaliPredExec: calibratedReader,
  SchemaBindableCalibrated: calibratedReader,
  OVAExec: { newest: 0x00010001, read: (part) => oneVersusAll(part, readPredictor) },
  KMeansPredictor: { newest: 0x00010002, read: kMeans },
};

/**
 * Reads the model of a component.
 * @throws ERR_MLNET_UNSUPPORTED with the loader and its version.
 */
export function readPredictor(part: ModelPart): Predictor {
  const reader = Object.hasOwn(readers, part.loader) ? readers[part.loader] : undefined;
  if (reader === undefined)
    throw unsupported(part.at, `predictor ${part.loader} of version ${versionText(part.version)}`);
  return reader.read(part.upTo(reader.newest));
}

/** Adds the calibrator in the nested component `Calibrator`, which only some models have. */
function withCalibrator(predictor: Predictor, part: ModelPart): Predictor {
  const calibrator = part.child('Calibrator');
  return calibrator === undefined ? predictor : { ...predictor, probability: readCalibrator(calibrator) };
}

/** Reads a model and its calibrator from the nested components `Predictor` and `Calibrator`. */
function calibrated(part: ModelPart): Predictor {
  return { ...readPredictor(part.part('Predictor')), probability: readCalibrator(part.part('Calibrator')) };
}
