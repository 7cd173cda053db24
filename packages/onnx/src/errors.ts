import { BrezelError, type ErrorTable, thrower } from '@brezel/core';

/**
 * A model file that cannot be imported: damaged, beyond a limit, or using what Brezel does not
 * know.
 */
export class OnnxError extends BrezelError {}

/** Codes of the ONNX importer: what they mean, and what to do next. */
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
    message: 'a tensor whose data does not fit its type and shape',
    hint: 'export the model again; weights must be inside the file',
  },
  ERR_ONNX_GRAPH: {
    message: 'the graph is not well formed',
    hint: 'every value needs one name and one producer, and none may need itself: onnx.checker.check_model(path) in Python',
  },
  ERR_ONNX_UNSUPPORTED: {
    message: 'an operator Brezel does not import',
    hint: "see the list of operators in the documentation; export with another target_opset, or let onnxruntime run it: importModel(bytes, flour, { blackBox: 'allow' }) (--black-box allow)",
  },
  ERR_ONNX_ATTRIBUTE: {
    message: 'an attribute is missing, of another type, or out of range',
    hint: 'compare the node with the ONNX operator documents for its opset version',
  },
  ERR_ONNX_WEIGHT: {
    message: 'a learned parameter holds a number that means nothing',
    hint: "training went wrong: look at the model where it was trained. importOnnx(bytes, flour, { nonFinite: 'allow' }) takes it as it is (--allow-non-finite)",
  },
  ERR_ONNX_OPTION: { message: 'an option is out of range', hint: 'the documentation of the option tells its range' },
  ERR_ONNX_SHAPE: {
    message: 'a shape that cannot be read row by row',
    hint: 'the first axis of inputs and outputs is the row: export with a free first dimension ([None, n])',
  },
} as const satisfies ErrorTable;

/** Makes an `OnnxError` with a listed code. */
export const onnxError = thrower(OnnxError, onnxErrors);
