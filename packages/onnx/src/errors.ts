import { BrezelError, type ErrorDetails, type ErrorTable, thrower } from '@brezel/core';

/**
 * The class of the importer's errors: the file is damaged, exceeds a limit, or uses an unsupported
 * feature, or an option is invalid.
 */
export class OnnxError extends BrezelError {}

/**
 * Thrown if a file cannot become a row program, because an output has another number of rows than
 * the inputs. A tensor program can compute such an output.
 */
export class RowCountError extends OnnxError {
  constructor(
    readonly output: string,
    details: ErrorDetails,
  ) {
    super('ERR_ONNX_SHAPE', onnxErrors.ERR_ONNX_SHAPE, details);
  }
}

/** The message and hint of each error code of the ONNX importer. */
export const onnxErrors = {
  ERR_ONNX_FORMAT: {
    message: 'not a valid ONNX model',
    hint: 'check that the file is complete and is a model: onnx.checker.check_model(path) in Python',
  },
  ERR_ONNX_LIMIT: {
    message: 'the model exceeds a limit',
    hint: 'if you trust the file, increase the limit that the error names',
  },
  ERR_ONNX_TENSOR: {
    message: 'the data of a tensor does not fit its type and shape',
    hint: 'export the model again; if its weights are in other files, pass the option externalData',
  },
  ERR_ONNX_GRAPH: {
    message: 'the graph is not well formed',
    hint: 'every value needs one name and one producer, and no value may depend on itself: onnx.checker.check_model(path) in Python',
  },
  ERR_ONNX_UNSUPPORTED: {
    message: 'unsupported operator',
    hint: "see the list of operators in the documentation; export with another target_opset, or let onnxruntime run it: importModel(bytes, flour, { blackBox: 'allow' }) (--black-box allow)",
  },
  ERR_ONNX_ATTRIBUTE: {
    message: 'an attribute is missing, of another type, or out of range',
    hint: 'compare the node with the ONNX operator documents for its opset version',
  },
  ERR_ONNX_WEIGHT: {
    message: 'a learned parameter is NaN, or infinite where an infinity has no meaning',
    hint: "training went wrong: check the model where it was trained. importOnnx(bytes, flour, { nonFinite: 'allow' }) accepts it (--allow-non-finite)",
  },
  ERR_ONNX_OPTION: {
    message: 'invalid option',
    hint: 'use a value that the documentation of the option allows',
  },
  ERR_ONNX_SHAPE: {
    message: 'the rows of a shape cannot be separated',
    hint: 'the first axis of each input and output must count the rows: export with a free first dimension ([None, n])',
  },
} as const satisfies ErrorTable;

/** Creates an `OnnxError` with a code of `onnxErrors`. */
export const onnxError = thrower(OnnxError, onnxErrors);
