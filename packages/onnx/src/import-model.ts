import { BrezelError } from '@brezel/core';
import type { FlourContext } from '@brezel/flour';
import { OnnxError, onnxError, RowCountError } from './errors.js';
import { importRows, noRows } from './import.js';
import { type ImportedModel, type ImportOptions, importOptionNames } from './import-options.js';
import {
  type ImportedTensors,
  importOpenedTensors,
  type TensorImportOptions,
  tensorOptionNames,
} from './import-tensors.js';
import { type OpenedModel, openModel } from './open-model.js';
import { checkImportContext, checkImportOptions } from './option-names.js';
import { importRowByRow } from './row-by-row/import.js';
import { rowLimits } from './row-by-row/row-limits.js';

/**
 * An imported model: a row program if possible, otherwise a tensor program. `why` is the reason for
 * a tensor program: an operator mixes rows, the row importer does not support an operator, or the
 * caller requests black boxes.
 */
export type Imported =
  | ({ readonly kind: 'row' } & ImportedModel)
  | ({ readonly kind: 'tensor'; readonly why: OnnxError } & ImportedTensors);

const modelOptionNames = { ...importOptionNames, ...tensorOptionNames };

/**
 * Imports an ONNX file as a row program, or as a tensor program if that is not possible.
 *
 * @throws the errors of both importers. For an operator that neither importer supports, throws the
 * error of the tensor importer, with the row importer's reason as the hint.
 * @example
 * const model = importModel(bytes, flour);
 * if (model.kind === 'row') runtime.register(model.program.plan());
 * else runtime.registerTensors(model.program);
 */
export function importModel(
  bytes: Uint8Array,
  flour: FlourContext,
  options: ImportOptions & TensorImportOptions = {},
): Imported {
  checkImportContext(flour, 'importModel');
  checkImportOptions(options, modelOptionNames, 'importModel');
  const limitsOfRows = rowLimits(options.rowByRow);
  const opened = openModel(bytes, options, flour.store.memory.wire, options.progress);
  try {
    if (asksForBoxes(options))
      throw onnxError('ERR_ONNX_SHAPE', { received: 'black boxes, which the option blackBox requests' });
    return { kind: 'row', ...importRows(opened, flour, { ...options, blackBox: 'forbid' }) };
  } catch (why) {
    if (!(why instanceof OnnxError) || !noRows.has(why.code)) throw why;
    const rows = limitsOfRows && importRowByRow(opened, flour, options, limitsOfRows, why);
    if (rows !== undefined) return { kind: 'row', ...rows };
    const tensors = tensorsOrBoth(opened, { ...options, flour }, why);
    return { kind: 'tensor', why, ...tensors, warnings: [...tensors.warnings, ...otherRowCount(why)] };
  }
}

/**
 * Returns a warning if the import as a row program failed because an output has another number of
 * rows than the inputs. The exporter has often written a wrong reshape.
 */
function otherRowCount(why: OnnxError): string[] {
  if (!(why instanceof RowCountError)) return [];
  const { received } = why.details;
  return [
    `output "${why.output}" has ${received}: the exporter probably wrote a reshape for other sizes; the model runs over whole tensors`,
  ];
}

/**
 * Returns whether the caller explicitly requests black boxes. Only then does a row program have
 * black boxes, because Brezel does not know whether an operator of another runtime mixes rows.
 */
const asksForBoxes = ({ blackBox }: TensorImportOptions) => blackBox === 'prefer' || typeof blackBox === 'function';

function tensorsOrBoth(opened: OpenedModel, options: TensorImportOptions, why: OnnxError): ImportedTensors {
  try {
    return importOpenedTensors(opened, options);
  } catch (cause) {
    if (!(cause instanceof BrezelError) || cause.code !== 'ERR_ONNX_UNSUPPORTED') throw cause;
    throw onnxError('ERR_ONNX_UNSUPPORTED', { ...cause.details, hint: `row by row: ${why.message}`, cause });
  }
}
