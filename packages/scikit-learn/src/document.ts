import { damaged, scikitLearnError } from './errors.js';
import { Fields } from './fields.js';
import { type ScikitLearnLimits, within } from './options.js';

/** The version of the format that this importer reads. */
const VERSION = 1;
const LONGEST_PRODUCER = 60;

/** The type of an input: a vector of floats, or one value. */
export interface InputPort {
  readonly name: string;
  readonly kind: 'float' | 'int' | 'bool' | 'text';
  readonly width: number;
}

/** A node: the name of its kind, the numbers of its inputs, and its fields. */
export interface FileNode {
  readonly op: string;
  readonly inputs: readonly number[];
  readonly fields: Fields;
}

/** The content of a file. */
export interface ModelDocument {
  readonly producer: string;
  readonly inputs: readonly InputPort[];
  readonly nodes: readonly FileNode[];
  /** The number of the node that computes each output. */
  readonly outputs: ReadonlyMap<string, number>;
}

/** Returns whether a file was written by brezel_export.py: the first key is `brezel_export`. */
export function isScikitLearn(bytes: Uint8Array): boolean {
  const start = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 64)).toString('latin1');
  return /^\{\s*"brezel_export"/.test(start);
}

/**
 * Reads a file of brezel_export.py.
 * @throws ERR_SKLEARN_FORMAT, ERR_SKLEARN_VERSION, ERR_SKLEARN_LIMIT
 */
export function readDocument(bytes: Uint8Array, limits: ScikitLearnLimits): ModelDocument {
  const file = new Fields(parsed(bytes), 'model');
  const version = file.int('brezel_export', 0, 2 ** 31);
  if (version !== VERSION)
    throw scikitLearnError('ERR_SKLEARN_VERSION', { expected: `${VERSION}`, received: `${version}`, at: file.at });
  const nodes = file.objects('nodes');
  within(limits, 'nodes', nodes.length, 'the file');
  const outputs = file.object('outputs');
  return {
    producer: file.text('producer').slice(0, LONGEST_PRODUCER),
    inputs: file.objects('inputs').map(inputOf),
    nodes: nodes.map((fields, index) => ({
      op: fields.text('op'),
      inputs: fields.intList('in', 0, index - 1),
      fields,
    })),
    outputs: new Map(outputs.names.map((name) => [name, outputs.int(name, 0, nodes.length - 1)])),
  };
}

function inputOf(fields: Fields): InputPort {
  const kind = fields.choice('kind', ['float', 'int', 'bool', 'text']);
  const width = fields.int('width', 1, 2 ** 24);
  if (width > 1 && kind !== 'float') throw damaged(fields.at, 'a vector of floats', `a vector of ${kind}`);
  return { name: fields.text('name'), kind, width };
}

function parsed(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString());
  } catch (error) {
    throw damaged('the file', 'JSON', error instanceof Error ? error.message : String(error));
  }
}
