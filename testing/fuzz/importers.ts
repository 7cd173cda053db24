import { readFileSync } from 'node:fs';
import { readModel, writeModel } from '@brezel/onnx';
import {
  BrezelError,
  createFlour,
  type FlourContext,
  importLightGbm,
  importMlNet,
  importModel,
  importPmml,
  importScikitLearn,
  importXgboost,
} from 'brezel';
import {
  columnsModel,
  linearModel,
  ngramModel,
  pipelineModel,
  regressorModel,
  treeModel,
} from '../../packages/brezel/test/robustness/models.js';
import { mlModels } from '../../packages/brezel/test/robustness/models-ml.js';
import { recognizedModels } from '../../packages/brezel/test/robustness/models-recognized.js';
import { rewrite } from '../../packages/brezel/test/robustness/mutations.js';
import { lightGbmText } from '../../packages/gbdt/test/lightgbm-file.js';
import { asJson, asUbjson, xgboostDocument } from '../../packages/gbdt/test/xgboost-file.js';
import { sample, sampleOutputs } from '../../packages/mlnet/test/sample.js';

/** An importer under test. `mutate` changes the content of a file and keeps its form. */
interface Target {
  readonly seeds: () => readonly Uint8Array[];
  readonly run: (bytes: Uint8Array, flour: FlourContext) => unknown;
  readonly mutate?: (bytes: Uint8Array, numbers: readonly number[]) => Uint8Array;
}

const split = { feature: 1, threshold: 0.5, defaultLeft: true, missing: 'nan', left: 1, right: -2 } as const;
const chosen = {
  feature: 0,
  threshold: 0,
  defaultLeft: false,
  missing: 'none',
  categories: [0, 2],
  left: 3,
  right: split,
} as const;

/**
 * Reads a committed model. The fuzzer bundles this module, and starts in the root of the
 * repository.
 */
const scikitLearnFile = (name: string) => readFileSync(`packages/scikit-learn/test/models/${name}.json`);

const pmmlFile = (name: string) => readFileSync(`packages/pmml/test/models/${name}.pmml`);

export const targets: Readonly<Record<string, Target>> = {
  onnx: {
    seeds: () => [
      ...[ngramModel(), linearModel(), treeModel(), regressorModel(), pipelineModel(), columnsModel()],
      ...mlModels(),
      ...recognizedModels(),
    ],
    run: (bytes, flour) => importModel(bytes, flour),
    mutate: (bytes, numbers) => writeModel(rewrite(readModel(bytes), numbers)),
  },
  lightgbm: {
    seeds: () => [Buffer.from(lightGbmText({ features: 3, targets: 1, trees: [split, chosen] }))],
    run: (bytes, flour) => importLightGbm(bytes, flour),
  },
  xgboost: {
    seeds: () => {
      const document = xgboostDocument({ features: 3, trees: [split, chosen] as never });
      return [Buffer.from(asJson(document)), asUbjson(document)];
    },
    run: (bytes, flour) => importXgboost(bytes, flour),
  },
  mlnet: {
    seeds: () => [sample()],
    run: (bytes, flour) => importMlNet(bytes, flour, { outputs: sampleOutputs, limits: { unpackedBytes: 2 ** 24 } }),
  },
  pmml: {
    seeds: () => ['claims', 'golf', 'scorecard', 'boosting'].map(pmmlFile),
    run: (bytes, flour) => importPmml(bytes, flour),
  },
  'scikit-learn': {
    seeds: () => ['churn', 'logistic', 'tfidf'].map(scikitLearnFile),
    run: (bytes, flour) => importScikitLearn(bytes, flour),
  },
};

/**
 * Returns a function that imports a file. It throws if the importer has a bug: an error without a
 * code, an internal error, or parameters that a rejected file left in the store.
 */
export async function importerOf({ run }: Target): Promise<(bytes: Uint8Array) => void> {
  const flour = await createFlour({ native: false });
  return (bytes) => {
    const before = flour.store.stats().objects;
    try {
      run(bytes, flour);
    } catch (error) {
      if (!(error instanceof BrezelError) || error.code === 'ERR_INTERNAL') throw error;
      if (flour.store.stats().objects > before) throw new Error(`a rejected file left parameters: ${error.message}`);
    } finally {
      flour.dispose();
    }
  };
}
