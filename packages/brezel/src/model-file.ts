import type { FlourContext, Program } from '@brezel/flour';
import { importLightGbm, importXgboost, isLightGbm, isXgboost } from '@brezel/gbdt';
import { importMlNet, isMlNet } from '@brezel/mlnet';
import {
  type Imported,
  type ImportedModel,
  type ImportOptions,
  importModel,
  importOnnx,
  type TensorImportOptions,
} from '@brezel/onnx';

/** A row program from a file of any format, with the information that `inspect` prints. */
export interface FileModel {
  readonly program: Program;
  readonly producer: string;
  readonly operators: Readonly<Record<string, number>>;
  readonly fileBytes: number;
  readonly warnings: readonly string[];
  /** Set only for ONNX files. */
  readonly irVersion?: ImportedModel['irVersion'];
  readonly opsets?: ImportedModel['opsets'];
  readonly declaredInputs?: ImportedModel['declaredInputs'];
  readonly declaredOutputs?: ImportedModel['declaredOutputs'];
  readonly blackBoxes?: ImportedModel['blackBoxes'];
  readonly outputLayouts?: ImportedModel['outputLayouts'];
  readonly conversions?: ImportedModel['conversions'];
}

/** The result of `importAnyFile`: a `FileModel`, or a tensor program. */
export type AnyFileModel = ({ readonly kind: 'row' } & FileModel) | (Imported & { readonly kind: 'tensor' });

/**
 * Imports a file as a row program: ONNX, LightGBM text, XGBoost JSON or UBJSON, or an ML.NET
 * archive. It detects the format by the first bytes. It throws the errors of the importers.
 */
export function importFile(bytes: Uint8Array, flour: FlourContext, options: ImportOptions = {}): FileModel {
  return ofLibrary(bytes, flour, options) ?? importOnnx(bytes, flour, options);
}

/** Imports a file as `importFile` does, but imports ONNX files that mix rows as tensor programs. */
export function importAnyFile(
  bytes: Uint8Array,
  flour: FlourContext,
  options: ImportOptions & TensorImportOptions = {},
): AnyFileModel {
  const model = ofLibrary(bytes, flour, options);
  return model === undefined ? importModel(bytes, flour, options) : { kind: 'row', ...model };
}

/** Imports a file of a library other than ONNX. */
function ofLibrary(
  bytes: Uint8Array,
  flour: FlourContext,
  { name, nonFinite, limits }: ImportOptions,
): FileModel | undefined {
  const options = { nonFinite, ...(name !== undefined && { name }), ...(limits !== undefined && { limits }) };
  if (isLightGbm(bytes)) return importLightGbm(bytes, flour, options);
  if (isMlNet(bytes)) return importMlNet(bytes, flour, options);
  return isXgboost(bytes) ? importXgboost(bytes, flour, options) : undefined;
}
