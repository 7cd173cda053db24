import { type BlackBox, type ElementType, optionNames, type TensorLimits } from '@brezel/core';
import type { NonFiniteChoice, Program } from '@brezel/flour';
import type { BlackBoxChoice } from './black-box/choice.js';
import type { ExternalData } from './external-data.js';
import type { InputShapes } from './input-shapes.js';
import type { ImportLimits } from './limits.js';
import type { ModelFacts } from './model-facts.js';
import type { NodeConversion } from './rows/node-converter.js';

/** Options of `importOnnx`. */
export interface ImportOptions {
  /** Name of the program. Default: the name of the graph. */
  readonly name?: string | undefined;
  /**
   * Whether to split n-grams that skl2onnx wrote as one string with spaces. Such a string never
   * matches a text. Default false: Brezel computes what the file says. True splits the strings into
   * words: the answer is then closer to the answer of the training library, and a warning says how
   * many n-grams were split.
   */
  readonly repairNgrams?: boolean;
  /**
   * A function that returns the bytes of a file in which the model stores weights. `externalDataIn`
   * creates such a function for a folder.
   */
  readonly externalData?: ExternalData | undefined;
  /**
   * Whether learned parameters (weights, idf, support vectors, thresholds, leaves) may be NaN, or
   * infinite where only finite numbers are valid. Default `refuse`, because such numbers mean that
   * training failed. `allow` accepts the file, as onnxruntime does. Constants of a graph may hold
   * any number.
   */
  readonly nonFinite?: NonFiniteChoice | undefined;
  /**
   * Whether another runtime may run unsupported operators. Brezel groups the unsupported operators
   * into as few stages as possible. The plan needs a runtime with a backend, for example
   * `onnxruntimeBackend()`. These stages receive blocks of rows, so allow them only if the
   * operators do not mix rows. `importModel` runs such a model over whole tensors. Default
   * `forbid`.
   */
  readonly blackBox?: BlackBoxChoice | undefined;
  /**
   * How to import a graph that cannot become a row program. False (default): the import fails with
   * ERR_ONNX_SHAPE or ERR_ONNX_UNSUPPORTED. True: the plan runs the graph as a tensor program in
   * JavaScript, once for each row, as if the row were the whole request. If the graph mixes rows,
   * the answers therefore differ from a request with all rows.
   *
   * An object also means true, and sets the limits of one row: `maxSteps` (default 100,000 nodes
   * and loop iterations) and `maxElements` (default 2^26). A row runs without a pause. A row that
   * exceeds a limit fails with ERR_RUNTIME_INPUT.
   */
  readonly rowByRow?: boolean | Partial<TensorLimits> | undefined;
  /** Limits of the import. An unknown name throws ERR_ONNX_OPTION. */
  readonly limits?: Partial<ImportLimits> | undefined;
  /**
   * Sizes of input axes for which the file declares no size: `{ x: [null, 3] }`. Null does not
   * change the axis. A row program needs the sizes of all axes after the first.
   */
  readonly shapes?: InputShapes | undefined;
  /**
   * A function that the import calls with its progress, about two hundred times at most. It counts
   * bytes of the file in the phase `read` and nodes in the phase `convert`. The import is
   * synchronous, so the event loop waits until it ends. If the function throws an error, the import
   * ends with this error.
   */
  readonly progress?: ImportProgress | undefined;
}

/** The names of the options of `importOnnx`. */
export const importOptionNames = optionNames<ImportOptions>({
  name: true,
  repairNgrams: true,
  externalData: true,
  nonFinite: true,
  blackBox: true,
  limits: true, // checkedLimits reads them
  shapes: true, // withInputShapes reads them
  rowByRow: true, // rowLimits reads it
  progress: true,
});

/**
 * A function that an import calls with its progress: in the phase `read` with bytes of the file,
 * then in the phase `convert` with nodes of the graph.
 */
export type ImportProgress = (done: number, total: number, phase: 'read' | 'convert') => void;

/** An imported model: its program, and the properties of the file that `brezel inspect` prints. */
export interface ImportedModel extends ModelFacts {
  readonly program: Program;
  /** Warnings about properties of the file that its author probably did not intend. */
  readonly warnings: readonly string[];
  /**
   * The black boxes of the model, in the order in which they run. Empty unless `blackBox` allows
   * them.
   */
  readonly blackBoxes: readonly BlackBox[];
  /**
   * For each output, how to join the answers to several rows into the tensor that the ONNX graph
   * would return. Outputs that are maps or tokens have no layout.
   */
  readonly outputLayouts: Readonly<Record<string, OutputLayout>>;
  /**
   * For each node of the graph: the strategy that converted it to operators, and why the strategies
   * before it could not.
   */
  readonly conversions: readonly NodeConversion[];
}

/**
 * How the ONNX graph arranges the rows of an output. `shape` is the shape for one row. For N rows,
 * the tensor is N times as long along `axis`.
 */
export interface OutputLayout {
  readonly shape: readonly number[];
  /**
   * The axis along which the rows follow each other. Undefined if the output does not depend on the
   * rows.
   */
  readonly axis: number | undefined;
  /** The element type in the graph. Rows contain the elements of some types in a wider type. */
  readonly element: ElementType;
}
