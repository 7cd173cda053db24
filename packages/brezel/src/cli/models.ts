import { dirname } from 'node:path';
import { BrezelError } from '@brezel/core';
import type { FlourContext, NonFiniteChoice } from '@brezel/flour';
import { type BlackBoxChoice, type ExternalData, externalDataIn } from '@brezel/onnx';
import { type AnyFileModel, type FileModel, importAnyFile, importFile } from '../model-file.js';
import { inFile } from './errors.js';
import { readBytes, STANDARD_STREAM } from './files.js';
import { progressBar } from './progress.js';

/**
 * Imports a file, of ONNX, LightGBM, XGBoost or ML.NET, as a program by rows.
 *
 * @throws what the importer throws, with the name of the file; ERR_CLI_FILE when it cannot be read.
 */
export async function loadModel(
  path: string,
  flour: FlourContext,
  nonFinite: NonFiniteChoice = 'refuse',
): Promise<FileModel> {
  const bytes = await readBytes(path);
  using bar = progressBar(path);
  return await attempt(path, () => importFile(bytes, flour, { ...besides(path), nonFinite, progress: bar.show }));
}

/** Imports a file by rows or, where that is not possible, over whole tensors. Throws like `loadModel`. */
export async function loadAnyModel(
  path: string,
  flour: FlourContext,
  choices: { readonly nonFinite: NonFiniteChoice; readonly blackBox?: BlackBoxChoice },
): Promise<AnyFileModel> {
  const bytes = await readBytes(path);
  using bar = progressBar(path);
  const options = { blackBox: 'allow' as const, ...choices, ...besides(path), progress: bar.show };
  return await attempt(path, () => importAnyFile(bytes, flour, options));
}

/** Weights may lie in files beside the model, if it has a place. */
const besides = (path: string): { readonly externalData?: ExternalData } =>
  path === STANDARD_STREAM ? {} : { externalData: externalDataIn(dirname(path)) };

/** Runs a step about a file: a fault in it names the file. */
export async function attempt<T>(path: string, step: () => T | Promise<T>): Promise<T> {
  try {
    return await step();
  } catch (fault) {
    throw fault instanceof BrezelError ? inFile(path, fault) : fault;
  }
}
