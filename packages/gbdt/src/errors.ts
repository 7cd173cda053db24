import { BrezelError, type ErrorTable, thrower } from '@brezel/core';

/**
 * A LightGBM or XGBoost file that cannot be imported: damaged, beyond a limit, or using what Brezel
 * does not know.
 */
export class GbdtError extends BrezelError {}

/** Codes of the importers of boosted trees: what they mean, and what to do next. */
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
    message: 'a kind of model Brezel does not import',
    hint: 'export it as ONNX (onnxmltools), which may express it, and use importOnnx',
  },
  ERR_GBDT_WEIGHT: {
    message: 'a learned number of the model means nothing',
    hint: "training went wrong: look at the model where it was trained. nonFinite: 'allow' (--allow-non-finite) takes it as it is",
  },
  ERR_GBDT_OPTION: { message: 'an option is out of range', hint: 'the documentation of the option tells its range' },
} as const satisfies ErrorTable;

/** Makes a `GbdtError` with a listed code. */
export const gbdtError = thrower(GbdtError, gbdtErrors);

/** A damaged file. */
export const damaged = (at: string, expected: string, received: string) =>
  gbdtError('ERR_GBDT_FORMAT', { expected, received, at });
