import { createHash, type Hash } from 'node:crypto';
import { readManifest, record, type WeightGroup, type WeightSpec } from './manifest.js';
import { modelError } from './model-error.js';
import { closeAll, modelJsonAt, type OpenFile, openBeside, openRegular, readInto } from './paths.js';

/**
 * A model in the form that loaders of TensorFlow.js return (`io.ModelArtifacts`), without training
 * data and metadata.
 */
export interface Artifacts {
  readonly format: string;
  readonly modelTopology: object;
  readonly weightSpecs: readonly WeightSpec[];
  readonly weightData: ArrayBuffer;
  readonly signature?: object;
  readonly modelInitializer?: object;
  readonly initializerSignature?: object;
}

export interface ReadModel {
  readonly artifacts: Artifacts;
  /** SHA-256 checksum of all bytes that were read. */
  readonly digest: string;
  readonly bytes: number;
}

/**
 * The largest size of the file `model.json` in bytes. The file contains only text, so a larger file
 * is not a model.
 */
const MAX_TOPOLOGY_BYTES = 2 ** 27;

const FORMATS = { 'tfjs-layers': 'layers-model', 'tfjs-graph': 'graph-model' } as const;

/**
 * Reads model.json and its weight files. Before it allocates memory, it checks that the sizes of
 * the files match the shapes, and that they do not exceed `maxBytes`.
 *
 * @throws ERR_BACKEND_MODEL
 */
export function readArtifacts(path: string, format: keyof typeof FORMATS, maxBytes: number): ReadModel {
  const hash = createHash('sha256');
  const modelJson = modelJsonAt(path);
  const json = record(parsed(readTopology(modelJson, hash)), 'model.json');
  checkFormat(json.format, FORMATS[format]);
  const modelTopology = record(json.modelTopology, 'modelTopology');
  if (json.weightsManifest === undefined) throw modelError('a weightsManifest', 'none', 'model.json');
  const groups = readManifest(json.weightsManifest, maxBytes);
  const weightData = readWeights(modelJson, groups, hash);
  const artifacts: Artifacts = {
    format: FORMATS[format],
    modelTopology,
    weightSpecs: groups.flatMap(({ weights }) => weights),
    weightData,
    ...optional(json, 'signature'),
    ...optional(json, 'modelInitializer'),
    ...optional(json, 'initializerSignature'),
  };
  return { artifacts, digest: hash.digest('hex'), bytes: weightData.byteLength };
}

function readTopology(modelJson: string, hash: Hash): string {
  const file = openRegular(modelJson, 'model.json');
  try {
    if (file.bytes > MAX_TOPOLOGY_BYTES)
      throw modelError(`at most ${MAX_TOPOLOGY_BYTES} bytes`, `${file.bytes}`, 'model.json');
    const bytes = new Uint8Array(file.bytes);
    readInto(bytes, file);
    hash.update(bytes);
    return new TextDecoder().decode(bytes);
  } finally {
    closeAll([file]);
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw modelError('JSON', 'something else', 'model.json', cause);
  }
}

/**
 * Throws if a model has another format than expected. Accepts a missing format, because old
 * software omits it for layers models.
 */
function checkFormat(received: unknown, expected: string): void {
  if (received === expected || received === undefined || received === null) return;
  throw modelError(`format ${expected}`, JSON.stringify(received), 'model.json');
}

function readWeights(modelJson: string, groups: readonly WeightGroup[], hash: Hash): ArrayBuffer {
  const files: OpenFile[] = [];
  try {
    for (const group of groups) files.push(...openGroup(modelJson, group));
    const data = new Uint8Array(files.reduce((sum, { bytes }) => sum + bytes, 0));
    let offset = 0;
    for (const file of files) {
      readInto(data.subarray(offset, offset + file.bytes), file);
      offset += file.bytes;
    }
    hash.update(data);
    return data.buffer;
  } finally {
    closeAll(files);
  }
}

/**
 * Opens the files of a group of weights. Throws unless the files together have exactly as many
 * bytes as the weights need.
 */
function openGroup(modelJson: string, group: WeightGroup): OpenFile[] {
  const files: OpenFile[] = [];
  try {
    for (const path of group.paths) files.push(openBeside(modelJson, path));
    const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
    if (bytes === group.bytes) return files;
    throw modelError(`${group.bytes} bytes of weights`, `${bytes}`, group.paths.join(', '));
  } catch (error) {
    closeAll(files);
    throw error;
  }
}

const optional = (json: Readonly<Record<string, unknown>>, key: string) =>
  json[key] === undefined || json[key] === null ? {} : { [key]: record(json[key], key) };
