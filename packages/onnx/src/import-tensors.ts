import { optionNames } from '@brezel/core';
import { type FlourContext, modelResolver, type NonFiniteChoice } from '@brezel/flour';
import { ownResolvers, TensorProgram, type TensorResolver } from '@brezel/tensors';
import { type BlackBoxChoice, withChosenBoxes } from './black-box/choice.js';
import { exporterFaults } from './exporter-faults.js';
import type { ExternalData } from './external-data.js';
import type { InputShapes } from './input-shapes.js';
import type { ImportLimits } from './limits.js';
import { type ModelFacts, modelFacts } from './model-facts.js';
import { type OpenedModel, openModel } from './open-model.js';
import { checkImportOptions } from './option-names.js';
import { TensorGraphReader } from './tensor-graph.js';
import { withoutZipMaps } from './zip-maps.js';

/** Options of `importTensors`. */
export interface TensorImportOptions {
  /** Name of the program. Default: the name of the graph. */
  readonly name?: string | undefined;
  /**
   * A function that returns the bytes of a file in which the model stores weights. `externalDataIn`
   * creates such a function for a folder.
   */
  readonly externalData?: ExternalData | undefined;
  /**
   * The context that stores the parameters of ai.onnx.ml models (linear, trees, support vectors).
   * Without it, these operators are unsupported.
   */
  readonly flour?: FlourContext | undefined;
  /**
   * Functions that can supply operators that Brezel does not have. For each unsupported node, the
   * importer calls them in order, until one of them returns an operator.
   */
  readonly resolvers?: readonly TensorResolver[] | undefined;
  /**
   * Whether another runtime may run unsupported operators. Such a program needs a runtime with a
   * backend, for example `onnxruntimeBackend()`. Default `forbid`.
   */
  readonly blackBox?: BlackBoxChoice | undefined;
  /**
   * Whether models of ai.onnx.ml may contain NaN and infinity in learned parameters; see
   * `ImportOptions.nonFinite`.
   */
  readonly nonFinite?: NonFiniteChoice | undefined;
  /** Limits of the import. An unknown name throws ERR_ONNX_OPTION. */
  readonly limits?: Partial<ImportLimits> | undefined;
  /**
   * Sizes of input axes for which the file declares no size: `{ x: [null, 3] }`. Null does not
   * change the axis.
   */
  readonly shapes?: InputShapes | undefined;
}

/** The names of the options of `importTensors`. */
export const tensorOptionNames = optionNames<TensorImportOptions>({
  name: true,
  externalData: true,
  flour: true,
  resolvers: true,
  blackBox: true,
  nonFinite: true,
  limits: true, // checkedLimits reads them
  shapes: true, // withInputShapes reads them
});

/**
 * An imported model: its tensor program, and the properties of the file that `brezel inspect`
 * prints.
 */
export interface ImportedTensors extends ModelFacts {
  readonly program: TensorProgram;
  /** Warnings about properties of the file that its author probably did not intend. */
  readonly warnings: readonly string[];
  /**
   * The keys of each output that the file declares as a map and the program returns as a tensor.
   * The keys have the order of the tensor's columns.
   */
  readonly labels: Readonly<Record<string, readonly string[]>>;
}

/**
 * Imports an ONNX file as a program over whole tensors: any graph of supported operators, with
 * functions and subgraphs. Brezel computes what the file says. If the graph ends with a ZipMap, the
 * importer omits the ZipMap: the output is the tensor of scores, and `labels` and a warning contain
 * the keys.
 *
 * Cost: O(bytes). Constants share the file's bytes if their alignment allows it.
 * @throws ERR_ONNX_FORMAT, ERR_ONNX_LIMIT, ERR_ONNX_GRAPH, ERR_ONNX_ATTRIBUTE, ERR_ONNX_TENSOR for
 * a damaged file; ERR_ONNX_UNSUPPORTED with node, operator, domain and version; ERR_ONNX_WEIGHT
 * with node, attribute and index of a weight that is NaN; ERR_ONNX_OPTION for an unknown option.
 * @example
 * const { program } = importTensors(readFileSync('model.onnx'));
 * const registered = runtime.registerTensors(program);
 */
export function importTensors(bytes: Uint8Array, options: TensorImportOptions = {}): ImportedTensors {
  checkImportOptions(options, tensorOptionNames, 'importTensors');
  return importOpenedTensors(openModel(bytes, options, options.flour?.store.memory.wire), options);
}

/** Converts an opened model to a program over whole tensors. */
export function importOpenedTensors(opened: OpenedModel, options: TensorImportOptions): ImportedTensors {
  const { model, budget } = opened;
  const models = options.flour === undefined ? [] : [modelResolver(options.flour, options.nonFinite)];
  const resolvers = [...ownResolvers, ...models, ...(options.resolvers ?? [])];
  const { model: plain, warnings, labels } = withoutZipMaps(model);
  const { model: split, boxes } = withChosenBoxes(plain, resolvers, 'tensors', budget, options.blackBox);
  const { graph, inputs } = new TensorGraphReader(split, resolvers, budget, boxes).read();
  const name = options.name ?? (model.graph!.name || 'model');
  return {
    program: new TensorProgram(name, graph, inputs),
    ...modelFacts(opened),
    warnings: [...warnings, ...exporterFaults(model)],
    labels,
  };
}
