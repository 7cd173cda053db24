import { checkOptionNames, modelLimitNames, type OptionNames, optionNames } from '@brezel/core';
import { checkContext, type FlourContext, flourError } from '@brezel/flour';
import { ovenOptionsOf } from '../wire.js';
import { copyBytes } from './copy-bytes.js';
import { importError } from './errors.js';
import type { ImportedPlan } from './import-threads.js';
import { checkedModules, type OperatorModules } from './operator-modules.js';
import type { SentImportOptions } from './protocol.js';
import { sharedThreads } from './shared-threads.js';

/** Options of `importModelAsync`. */
export interface AsyncImportOptions extends SentImportOptions {
  /** Ends the import. The promise is then rejected with the reason of the signal. */
  readonly signal?: AbortSignal | undefined;
  /**
   * URLs of ES modules that define custom operators: `new URL('./operators.js', import.meta.url)`.
   * The thread imports these modules before the model, so that nodes of custom ONNX domains become
   * these operators. Import the modules on the calling thread, too: it registers the plan.
   */
  readonly operatorModules?: OperatorModules | undefined;
}

const asyncOptionNames: OptionNames = optionNames<AsyncImportOptions>({
  name: true,
  repairNgrams: true,
  externalFolder: true,
  nonFinite: true,
  blackBox: true,
  rowByRow: true,
  limits: modelLimitNames,
  precision: true,
  shapes: true,
  signal: true,
  operatorModules: true,
});

/**
 * Imports a model file and compiles it to a plan, on a worker thread. The format is ONNX, LightGBM,
 * XGBoost, ML.NET or scikit-learn. The plan equals, bit by bit, a plan that the calling thread
 * compiles with the options of `flour`.
 *
 * The event loop runs during the import. The result is a plan, not a program: you can register or
 * pack it, but you cannot extend it in Flour. It also has the properties of the imported file, such
 * as `warnings` and `operators`. For a graph over whole tensors, use `importModel` and
 * `registerTensors`, or the option `rowByRow`.
 *
 * Cost: a copy of the bytes; the first call also starts the thread. One thread imports all models,
 * one after the other. Do not change the bytes before the promise settles.
 *
 * @throws the errors of the importer and of the compiler, with class, code and details;
 * ERR_IMPORT_OPTION for an option with a function; ERR_IMPORT_THREAD if the thread runs out of
 * memory; the reason of the signal.
 * @example
 * const flour = await createFlour();
 * const plan = await importModelAsync(await readFile('model.onnx'), flour);
 * const registered = createRuntime({ store: flour.store }).register(plan);
 * plan.release();
 */
export async function importModelAsync(
  bytes: Uint8Array,
  flour: FlourContext,
  options: AsyncImportOptions = {},
): Promise<ImportedPlan> {
  const at = 'importModelAsync';
  checkContext(flour, (details) => importError('ERR_IMPORT_OPTION', details), at);
  checkOptionNames(options, asyncOptionNames, (details) => importError('ERR_IMPORT_OPTION', details), at);
  const oven = ovenOptionsOf(flour);
  if (oven === undefined) throw flourError('ERR_FLOUR_COMPILER', { at });
  if (!(bytes instanceof Uint8Array))
    throw importError('ERR_IMPORT_OPTION', {
      expected: 'the bytes of a model file, a Uint8Array',
      received: bytes === null ? 'null' : typeof bytes,
      at,
      hint: "await importModelAsync(await readFile('model.onnx'), flour)",
    });
  const { signal, operatorModules, ...sent } = options;
  const modules = checkedModules(operatorModules, (details) => importError('ERR_IMPORT_OPTION', details), at);
  signal?.throwIfAborted();
  const copy = await copyBytes(bytes);
  return sharedThreads.importPlan({ bytes: copy, options: sent, oven, modules, store: flour.store, signal });
}
