import { formatLimits, type ModelLimits, modelLimitNames, type Precision } from '@brezel/core';
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
import { importPmml, isPmml } from '@brezel/pmml';
import { importScikitLearn, isScikitLearn } from '@brezel/scikit-learn';

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

/** Options of `importFile`: the options of `importOnnx`, with the limits of all formats. */
export interface FileOptions extends Omit<ImportOptions, 'limits'> {
  /** Limits of the import. Formats that do not have a limit ignore it. */
  readonly limits?: Partial<ModelLimits> | undefined;
  /**
   * The type in which the program of a scikit-learn file computes. Default `float64`. Other formats
   * ignore the option, because their files declare the types.
   */
  readonly precision?: Precision | undefined;
}

/** The result of `importAnyFile`: a `FileModel`, or a tensor program. */
export type AnyFileModel = ({ readonly kind: 'row' } & FileModel) | (Imported & { readonly kind: 'tensor' });

/**
 * Imports a file as a row program: ONNX, LightGBM text, XGBoost JSON or UBJSON, an ML.NET archive,
 * PMML, or JSON of brezel_export.py. It detects the format by the first bytes. It throws the errors
 * of the importers.
 */
export function importFile(bytes: Uint8Array, flour: FlourContext, options: FileOptions = {}): FileModel {
  const { precision, ...ofOnnx } = options;
  return ofLibrary(bytes, flour, options) ?? importOnnx(bytes, flour, withLimits(ofOnnx, 'onnx'));
}

/**
 * Imports a file as `importFile` does. But if the graph of an ONNX file mixes rows, it becomes a
 * tensor program.
 */
export function importAnyFile(
  bytes: Uint8Array,
  flour: FlourContext,
  options: FileOptions & Omit<TensorImportOptions, 'limits'> = {},
): AnyFileModel {
  const { precision, ...ofOnnx } = options;
  const model = ofLibrary(bytes, flour, options);
  if (model !== undefined) return { kind: 'row', ...model };
  return importModel(bytes, flour, withLimits(ofOnnx, 'onnx'));
}

/**
 * Imports a file of LightGBM, ML.NET, PMML, scikit-learn or XGBoost. Returns undefined for every
 * other file.
 */
function ofLibrary(
  bytes: Uint8Array,
  flour: FlourContext,
  { name, nonFinite, limits, precision }: FileOptions,
): FileModel | undefined {
  const options = { nonFinite, limits, ...(name !== undefined && { name }) };
  if (isLightGbm(bytes)) return importLightGbm(bytes, flour, withLimits(options, 'gbdt'));
  if (isMlNet(bytes)) return importMlNet(bytes, flour, withLimits(options, 'mlnet'));
  if (isPmml(bytes)) return importPmml(bytes, flour, withLimits(options, 'pmml'));
  if (isScikitLearn(bytes))
    return importScikitLearn(bytes, flour, { ...withLimits(options, 'scikitLearn'), precision });
  return isXgboost(bytes) ? importXgboost(bytes, flour, withLimits(options, 'gbdt')) : undefined;
}

/**
 * Removes the limits that only other formats have, because the importer rejects limits that it does
 * not have. Misspelled limits stay, so that the importer rejects them.
 */
function withLimits<Options extends Pick<FileOptions, 'limits'>>(
  { limits, ...others }: Options,
  format: keyof typeof formatLimits,
): Omit<Options, 'limits'> & Pick<ImportOptions, 'limits'> {
  if (typeof limits !== 'object' || limits === null || Array.isArray(limits))
    return { ...others, ...(limits !== undefined && { limits }) };
  const isForeign = (name: string) =>
    Object.hasOwn(modelLimitNames, name) && !Object.hasOwn(formatLimits[format], name);
  return { ...others, limits: Object.fromEntries(Object.entries(limits).filter(([name]) => !isForeign(name))) };
}
