import { BrezelError } from '@brezel/core';
import type { FlourContext } from '@brezel/flour';
import { OnnxError, onnxError } from './errors.js';
import { type ImportedModel, type ImportOptions, importRows } from './import.js';
import { type ImportedTensors, importOpenedTensors, type TensorImportOptions } from './import-tensors.js';
import { type OpenedModel, openModel } from './open-model.js';

/**
 * A model as a program by rows where it is one, else as a program over whole tensors. `why` is what
 * keeps its rows from being told apart, or what the importer by rows does not know.
 */
export type Imported =
  | ({ readonly kind: 'row' } & ImportedModel)
  | ({ readonly kind: 'tensor'; readonly why: OnnxError } & ImportedTensors);

/**
 * Errors that mean that a row program cannot express the model. Other errors mean that the file is
 * invalid.
 */
const perhapsTensors = new Set(['ERR_ONNX_UNSUPPORTED', 'ERR_ONNX_SHAPE']);

/**
 * Imports an ONNX file by rows, and where that is not possible over whole tensors.
 *
 * @throws what both importers throw. An operator that neither knows is told as the tensor importer
 * met it, with the other's refusal as the hint.
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
  const { progress } = options;
  const opened = openModel(bytes, options, progress && ((done) => progress(done, bytes.length, 'read')));
  try {
    if (asksForBoxes(options)) throw onnxError('ERR_ONNX_SHAPE', { received: 'black boxes were asked for' });
    return { kind: 'row', ...importRows(opened, flour, { ...options, blackBox: 'forbid' }) };
  } catch (why) {
    if (!(why instanceof OnnxError) || !perhapsTensors.has(why.code)) throw why;
    return { kind: 'tensor', why, ...tensorsOrBoth(opened, { ...options, flour }, why) };
  }
}

/**
 * Whether another runtime's operators keep rows apart is not known: programs by rows have no black
 * boxes that nobody answers for.
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
