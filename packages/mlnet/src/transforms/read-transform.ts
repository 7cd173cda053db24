import type { TransformReader } from '../component.js';
import { unsupported } from '../errors.js';
import { type ModelPart, versionText } from '../model-part.js';
import type { Pipeline } from '../pipeline.js';
import { binary, clustering, multiclass, scoreOnly } from '../predictors/score.js';
import { concatColumns, copyColumns, selectColumns } from './columns.js';
import { hashing } from './hash.js';
import { keyToValue, keyToVector, valueToKey } from './keys.js';
import { ngrams } from './ngrams.js';
import { lpNormalizer, normalizer } from './normalize.js';
import { charTokenizer, textNormalizer, wordTokenizer } from './text.js';
import { replaceMissing, typeConverter } from './values.js';

/** Reads a chain of transforms, which are nested components. */
const chain: TransformReader = {
  newest: 0x00010001,
  read(part, pipeline) {
    const count = part.count(4);
    part.ints(count); // what each transform is for: training, testing, scoring
    part.end();
    for (let at = 0; at < count; at++) readTransform(part.part(numbered('Transform', at)), pipeline);
  },
};

const rowMapper: TransformReader = {
  newest: 0x00010001,
  read(part, pipeline) {
    part.end();
    readTransform(part.part('Mapper'), pipeline);
  },
};

/**
 * Reads FeaturizeText, which is a chain of transforms. Older archives store the transforms under
 * numbered names.
 */
const textFeaturizer: TransformReader = {
  newest: 0x00010002,
  read(part, pipeline) {
    if (part.readable >= 0x00010002) {
      part.end();
      readTransform(part.part('Chain'), pipeline);
      return;
    }
    const count = part.int();
    part.end();
    for (let at = 0; at < count; at++) readTransform(part.part(numbered('Step', at)), pipeline);
  },
};

const numbered = (name: string, at: number) => `${name}_${String(at).padStart(3, '0')}`;

/** Transform readers by loader name. */
const readers: Readonly<Record<string, TransformReader>> = {
  TransformerChain: chain,
  RowToRowMapper: rowMapper,
  Text: textFeaturizer,
  CopyTransform: copyColumns,
  SelectColumnsTransform: selectColumns,
  ConcatTransform: concatColumns,
  TermTransform: valueToKey,
  KeyToValueTransform: keyToValue,
  KeyToVectorTransform: keyToVector,
  HashTransform: hashing,
  ConvertTransform: typeConverter,
  NAReplaceTransform: replaceMissing,
  Normalizer: normalizer,
  GcnTransform: lpNormalizer,
  TextNormalizerTransform: textNormalizer,
  TokenizeTextTransform: wordTokenizer,
  CharToken: charTokenizer,
  NgramTransform: ngrams,
  RegressionPredXfer: scoreOnly,
  RankingPredXfer: scoreOnly,
  BinaryPredXfer: binary,
  MulticlassPredXfer: multiclass,
  ClusteringPredXfer: clustering,
};

/**
 * Reads one transform and its nested components.
 * @throws ERR_MLNET_UNSUPPORTED with its loader and version.
 */
export function readTransform(part: ModelPart, pipeline: Pipeline): void {
  const reader = Object.hasOwn(readers, part.loader) ? readers[part.loader] : undefined;
  if (reader === undefined)
    throw unsupported(part.at, `transform ${part.loader} of version ${versionText(part.version)}`);
  pipeline.operators[part.loader] = (pipeline.operators[part.loader] ?? 0) + 1;
  reader.read(part.upTo(reader.newest), pipeline);
}
