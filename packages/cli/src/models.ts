import { dirname } from 'node:path';
import { BrezelError, type Precision } from '@brezel/core';
import type { FlourContext, NonFiniteChoice } from '@brezel/flour';
import { type BlackBoxChoice, type ExternalData, externalDataIn, type ImportOptions } from '@brezel/onnx';
import { type AnyFileModel, type FileModel, type FileOptions, importAnyFile, importFile } from 'brezel/internal';
import { inFile } from './errors.js';
import { readBytes, STANDARD_STREAM } from './files.js';
import { progressBar } from './progress.js';

/** Options for importing a model file. The importers set the defaults. */
export interface ModelChoices {
  readonly nonFinite: NonFiniteChoice;
  readonly blackBox?: BlackBoxChoice | undefined;
  readonly limits?: ImportOptions['limits'];
  readonly shapes?: ImportOptions['shapes'];
  readonly repairNgrams?: boolean;
  readonly precision?: Precision | undefined;
}

/**
 * Imports a model file of any format as a row program.
 *
 * @throws the errors of the importer, with the name of the file; ERR_CLI_FILE for an unreadable
 * file.
 */
export const loadModel = (path: string, flour: FlourContext, choices: ModelChoices): Promise<FileModel> =>
  load(path, (bytes, progress) => importFile(bytes, flour, { ...choices, ...progress, rowByRow: true }));

/**
 * Imports a file as a row program, or as a tensor program if that is impossible. It allows black
 * boxes by default. It throws the errors of `loadModel`.
 */
export const loadAnyModel = (path: string, flour: FlourContext, choices: ModelChoices): Promise<AnyFileModel> =>
  load(path, (bytes, progress) => anyModel(bytes, flour, { ...choices, ...progress }));

/**
 * Imports a file as `loadAnyModel` does. If the user requests black boxes, it first tries a row
 * program with black boxes.
 */
export const loadShownModel = (path: string, flour: FlourContext, choices: ModelChoices): Promise<AnyFileModel> =>
  load(path, (bytes, progress) => {
    const options = { ...choices, ...progress };
    if (options.blackBox === undefined || options.blackBox === 'forbid') return anyModel(bytes, flour, options);
    try {
      return { kind: 'row', ...importFile(bytes, flour, options) };
    } catch (fault) {
      if (fault instanceof BrezelError && noRows.has(fault.code)) return anyModel(bytes, flour, options);
      throw fault;
    }
  });

const anyModel = (bytes: Uint8Array, flour: FlourContext, { blackBox = 'allow', ...rest }: FileOptions) =>
  importAnyFile(bytes, flour, { ...rest, blackBox });

async function load<Model>(
  path: string,
  step: (bytes: Uint8Array, options: Pick<ImportOptions, 'externalData' | 'progress'>) => Model,
): Promise<Model> {
  const bytes = await readBytes(path);
  using bar = progressBar(path);
  return await attempt(path, () => step(bytes, { ...besides(path), progress: bar.show }));
}

const noRows: ReadonlySet<string> = new Set(['ERR_ONNX_UNSUPPORTED', 'ERR_ONNX_SHAPE']);

/**
 * Returns options for reading weights from files in the folder of the model. A model from standard
 * input has no folder.
 */
const besides = (path: string): { readonly externalData?: ExternalData } =>
  path === STANDARD_STREAM ? {} : { externalData: externalDataIn(dirname(path)) };

/** Calls a function that uses a file, and adds the name of the file to its errors. */
export async function attempt<T>(path: string, step: () => T | Promise<T>): Promise<T> {
  try {
    return await step();
  } catch (fault) {
    throw fault instanceof BrezelError ? inFile(path, fault) : fault;
  }
}
