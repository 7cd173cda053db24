import type { FlourContext, Flow } from '@brezel/flour';
import { type Archive, openArchive } from './archive.js';
import { answerOf } from './column.js';
import { damaged, unsupported } from './errors.js';
import { ModelPart } from './model-part.js';
import { checkArguments, type ImportedMlNet, limitsOf, type MlNetOptions } from './options.js';
import { Pipeline } from './pipeline.js';
import { readSchema } from './schema.js';
import { readTransform } from './transforms/read-transform.js';

const ZIP = Buffer.from('PK\x03\x04', 'latin1');

/** Returns whether a file is a ZIP archive with an ML.NET model. */
export function isMlNet(bytes: Uint8Array): boolean {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  return view.subarray(0, ZIP.length).equals(ZIP) && view.includes('Model.key');
}

/**
 * Imports an archive of ML.NET (`mlContext.Model.Save`): its chain of transforms and predictors
 * becomes a row program.
 *
 * Inputs: the columns that the outputs need, by their names and types in the archive's schema.
 * Outputs: `PredictedLabel`, `Score` and `Probability`, or the columns in `options.outputs`. A key
 * is a number from 1; 0 is a missing key. Cost: O(unpacked bytes). If the import fails, the store
 * is unchanged.
 * @throws ERR_MLNET_FORMAT for a damaged file, with entry and byte; ERR_MLNET_UNSUPPORTED for an
 * unsupported component, with its loader and version; ERR_MLNET_LIMIT; ERR_MLNET_COLUMN;
 * ERR_MLNET_OPTION.
 * @see Source: ML.NET's TransformerChain and the loaders of its parts.
 * @example const { program } = importMlNet(readFileSync('model.zip'), flour);
 */
export function importMlNet(bytes: Uint8Array, flour: FlourContext, options: MlNetOptions = {}): ImportedMlNet {
  checkArguments(flour, options);
  const archive = openArchive(bytes, limitsOf(options, bytes.length));
  const pipeline = readPipeline(archive, options);
  const names = options.outputs ?? (pipeline.predicted.length > 0 ? pipeline.predicted : pipeline.last);
  const program = flour.attempt(
    () => {
      const columns = pipeline.build(names, flour);
      const flows: [string, Flow][] = [...columns].map(([name, column]) => [name, answerOf(column, `output ${name}`)]);
      return flour.program(Object.fromEntries(flows), { name: options.name ?? 'model' });
    },
    {
      nonFinite: options.nonFinite,
      onParameter: (elements) => archive.takeElements(elements, 'a parameter of the program'),
    },
  );
  return {
    program,
    producer: `ML.NET ${versionOf(archive)}`.trim(),
    operators: Object.fromEntries(Object.entries(pipeline.operators).map(([name, count]) => [`mlnet:${name}`, count])),
    fileBytes: bytes.length,
    warnings: pipeline.warnings,
  };
}

function readPipeline(archive: Archive, { inputs = {} }: MlNetOptions): Pipeline {
  const pipeline = new Pipeline();
  pipeline.addSource(new Map(Object.entries(inputs).map(([name, type]) => [name, { type, typeName: type.kind }])));
  const schema = archive.get('Schema');
  if (schema !== undefined) pipeline.addSource(readSchema(schema, 'Schema'));
  const chain = ModelPart.in(archive, 'TransformerChain');
  if (chain === undefined) {
    if (legacyEntries.some((path) => archive.has(path))) throw unsupported('the archive', LEGACY);
    throw damaged('the archive', 'an entry TransformerChain/Model.key', 'none');
  }
  readTransform(chain, pipeline);
  return pipeline;
}

/** Paths of models in archives that ML.NET versions before 1.0 wrote. */
const legacyEntries = ['Predictor/Model.key', 'DataLoaderModel/Model.key', 'Model.key'];
const LEGACY =
  'the layout of ML.NET before 1.0 (Predictor without TransformerChain): load it with that version, and train or save it again with a newer one';

const LONGEST_VERSION = 40;

function versionOf(archive: Archive): string {
  const text = Buffer.from(archive.get('TrainingInfo/Version.txt') ?? []).toString();
  return (/^[\w.+-]+/.exec(text)?.[0] ?? '').slice(0, LONGEST_VERSION);
}
