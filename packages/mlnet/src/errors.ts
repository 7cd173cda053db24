import { BrezelError, type ErrorTable, thrower } from '@brezel/core';

/**
 * The class of the importer's errors for ML.NET archives: the archive is damaged, exceeds a limit,
 * or uses an unsupported feature.
 */
export class MlNetError extends BrezelError {}

/** The message and hint of each error code of the ML.NET importer. */
export const mlNetErrors = {
  ERR_MLNET_FORMAT: {
    message: 'not a valid ML.NET model archive',
    hint: 'save the model again: mlContext.Model.Save(model, schema, "model.zip")',
  },
  ERR_MLNET_LIMIT: {
    message: 'the archive exceeds a limit',
    hint: 'if you trust the file, increase the limit that the error names',
  },
  ERR_MLNET_UNSUPPORTED: {
    message: 'unsupported part of an ML.NET pipeline',
    hint: 'export the model as ONNX (mlContext.Model.ConvertToOnnx), which may express it, and use importOnnx',
  },
  ERR_MLNET_COLUMN: {
    message: 'a column is missing or has another type than required',
    hint: "save the model with its input schema, or name the column's type with the option inputs",
  },
  ERR_MLNET_OPTION: {
    message: 'invalid option',
    hint: 'use a value that the documentation of the option allows',
  },
} as const satisfies ErrorTable;

/** Creates an `MlNetError` with a code of `mlNetErrors`. */
export const mlNetError = thrower(MlNetError, mlNetErrors);

/** Returns the error for a damaged file. */
export const damaged = (at: string, expected: string, received: string) =>
  mlNetError('ERR_MLNET_FORMAT', { expected, received, at });

/** Returns the error for a component that Brezel does not import. */
export const unsupported = (at: string, received: string) => mlNetError('ERR_MLNET_UNSUPPORTED', { received, at });
