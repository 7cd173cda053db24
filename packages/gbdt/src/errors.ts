import { BrezelError, type ErrorTable, thrower } from '@brezel/core';

/**
 * Thrown by the importers of LightGBM and XGBoost files. The file is damaged, exceeds a limit,
 * contains NaN, or uses an unsupported feature, or an option of the import is invalid.
 */
export class GbdtError extends BrezelError {}

/** The message and hint of each error code of the LightGBM and XGBoost importers. */
export const gbdtErrors = {
  ERR_GBDT_FORMAT: {
    message: 'not a valid LightGBM or XGBoost model',
    hint: "save the model again: booster.save_model('model.txt') of LightGBM, booster.save_model('model.json' or 'model.ubj') of XGBoost",
  },
  ERR_GBDT_LIMIT: {
    message: 'the model exceeds a limit',
    hint: 'if you trust the file, increase the limit that the error names',
  },
  ERR_GBDT_UNSUPPORTED: {
    message: 'unsupported kind of model',
    hint: 'export it as ONNX (onnxmltools), which may express it, and use importOnnx',
  },
  ERR_GBDT_WEIGHT: {
    message: 'a threshold or a leaf of the model is NaN',
    hint: "training went wrong: check the model where it was trained. nonFinite: 'allow' (--allow-non-finite) accepts it",
  },
  ERR_GBDT_OPTION: {
    message: 'invalid option',
    hint: 'use a value that the documentation of the option allows',
  },
} as const satisfies ErrorTable;

/** Creates a `GbdtError` with a code of `gbdtErrors`. */
export const gbdtError = thrower(GbdtError, gbdtErrors);

/** Returns the error for a damaged file. */
export const damaged = (at: string, expected: string, received: string) =>
  gbdtError('ERR_GBDT_FORMAT', { expected, received, at });
