import { BrezelError } from '@brezel/core';
import type { FlourContext } from '@brezel/flour';
import { type ImportedModel, importOnnx } from '@brezel/onnx';
import { inFile } from './errors.js';
import { readBytes } from './files.js';

/**
 * Imports an ONNX file.
 *
 * @throws what the importer throws, with the name of the file; ERR_CLI_FILE when it cannot be read.
 */
export async function loadModel(path: string, flour: FlourContext): Promise<ImportedModel> {
  const bytes = await readBytes(path);
  return attempt(path, () => importOnnx(bytes, flour));
}

/** Runs a step about a file: a fault in it names the file. */
export async function attempt<T>(path: string, step: () => T | Promise<T>): Promise<T> {
  try {
    return await step();
  } catch (fault) {
    throw fault instanceof BrezelError ? inFile(path, fault) : fault;
  }
}
