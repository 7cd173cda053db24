import { BrezelError } from '@brezel/core';
import {
  type FlourContext,
  type Flow,
  type OnnxConstant,
  type OnnxMapping,
  type OnnxUse,
  type OnnxValue,
  onnxOperators,
  Program,
} from '@brezel/flour';
import { readAttributes } from './attributes.js';
import { onnxError } from './errors.js';
import { type ExternalData, withExternalData } from './external-data.js';
import { foldConstants, MAX_FOLDED } from './fold-constants.js';
import { checkRowCounts, rowType } from './graph-input.js';
import { type ModelFacts, modelFacts } from './model-facts.js';
import type { Limits } from './proto/input.js';
import { readModel } from './proto/read.js';
import type { GraphProto, ModelProto, NodeProto } from './proto/schema.js';
import { readTensor } from './proto/tensor.js';

export interface ImportOptions {
  /** Name of the program; default: the graph's. */
  readonly name?: string | undefined;
  /**
   * Splits n-grams that skl2onnx wrote as one string with spaces, which never match, into their words. Default false: the file defines the
   * answer. With it the answer is nearer to the trainer's; a warning tells how many n-grams were split.
   */
  readonly repairNgrams?: boolean;
  /** Bytes of files beside the model in which its weights lie. See `externalDataIn` for a folder. */
  readonly externalData?: ExternalData | undefined;
  /** Bounds on what a file may hold. */
  readonly limits?: Partial<Limits> | undefined;
  /**
   * Told how far the import is, some two hundred times at most: `read` counts bytes of the file, `raise` nodes of the graph. Called while the
   * import runs, so the event loop waits meanwhile. What it throws ends the import.
   */
  readonly progress?: ImportProgress | undefined;
}

export type ImportProgress = (done: number, total: number, phase: 'read' | 'raise') => void;

/** A model as it came in: the program, and what `inspect` tells about the file. */
export interface ImportedModel extends ModelFacts {
  readonly program: Program;
  /** What the file does that its author hardly meant. */
  readonly warnings: readonly string[];
}

/** Planning takes time that grows with the square of the nodes; a pipeline has some dozen, a generated graph some hundred. */
const MAX_NODES = 10_000;

const mappings = new Map<string, OnnxMapping[]>();
for (const mapping of onnxOperators) {
  const key = `${mapping.domain}:${mapping.operator}`;
  mappings.set(key, [...(mappings.get(key) ?? []), mapping]);
}

/**
 * Raises an ONNX file to a Flour program, row by row: the first axis of every input is the row. The file defines the answer.
 *
 * Cost: O(bytes), one to two seconds for 100 MB, in one go: docs/adr/0006-import-is-synchronous.md. Memory until the plan is made, `bytes`
 * included: 5 times the file for 100 MB of trees in flat lists, 11 times for the dense lists of TreeEnsemble-5; what `limits.fileBytes` allows
 * bounds it. When it throws, nothing stays in the store.
 * @throws ERR_ONNX_FORMAT, ERR_ONNX_LIMIT, ERR_ONNX_GRAPH for a damaged file; ERR_ONNX_UNSUPPORTED naming node, operator and opset; ERR_ONNX_SHAPE
 * where rows cannot be kept apart.
 * @example const { program } = importOnnx(readFileSync('model.onnx'), flour);
 */
export function importOnnx(bytes: Uint8Array, flour: FlourContext, options: ImportOptions = {}): ImportedModel {
  const { limits, externalData, progress, repairNgrams = false } = options;
  const read = readModel(bytes, limits, progress && ((done) => progress(done, bytes.length, 'read')));
  const model = withExternalData(read, externalData);
  const importer = new GraphImporter(model, flour, repairNgrams, progress);
  const program = flour.attempt(() => importer.run(options.name));
  return { program, ...modelFacts(model, bytes.length), warnings: importer.warnings };
}

class GraphImporter {
  readonly warnings: string[] = [];
  readonly #graph: GraphProto;
  readonly #irVersion: number;
  readonly #flour: FlourContext;
  readonly #opsets: ReadonlyMap<string, number>;
  readonly #values = new Map<string, OnnxValue>();
  readonly #repairNgrams: boolean;
  readonly #progress: ImportProgress | undefined;
  /** Elements of constants that were computed. */
  #folded = 0;

  constructor(model: ModelProto, flour: FlourContext, repairNgrams: boolean, progress?: ImportProgress) {
    this.#repairNgrams = repairNgrams;
    this.#progress = progress;
    this.#graph = model.graph!;
    this.#irVersion = model.irVersion;
    this.#flour = flour;
    // The default domain has two names.
    this.#opsets = new Map(
      model.opsetImport.map(({ domain, version }) => [domain === 'ai.onnx' ? '' : domain, version]),
    );
  }

  run(name: string | undefined): Program {
    const nodes = this.#graph.node.length;
    if (nodes > MAX_NODES) {
      throw onnxError('ERR_ONNX_LIMIT', {
        expected: `at most ${MAX_NODES} nodes`,
        received: `${nodes}`,
        hint: 'split the model',
      });
    }
    for (const tensor of this.#graph.initializer)
      this.#define(tensor.name, { kind: 'constant', tensor: readTensor(tensor) }, 'initializer');
    const given = this.#graph.input.filter((input) => !this.#values.has(input.name)); // IR 3 lists initializers among the inputs
    checkRowCounts(given);
    const inputs = given.map((input) => {
      const flow = this.#flour.input(input.name, rowType(input));
      this.#define(input.name, { kind: 'row', flow }, 'input');
      return flow;
    });
    const isTold = (done: number) => Math.floor((done * 100) / nodes) > Math.floor(((done - 1) * 100) / nodes);
    this.#graph.node.forEach((node, at) => {
      this.#raise(node);
      if (isTold(at + 1)) this.#progress?.(at + 1, nodes, 'raise');
    });
    const outputs = this.#graph.output.map((output) => ({ name: output.name, node: this.#output(output.name).node }));
    if (outputs.length === 0) throw onnxError('ERR_ONNX_GRAPH', { expected: 'at least one output', received: 'none' });
    return new Program(
      this.#flour,
      name ?? (this.#graph.name || 'model'),
      outputs,
      inputs.map((flow) => flow.node),
    );
  }

  #raise(node: NodeProto): void {
    const domain = node.domain === 'ai.onnx' ? '' : node.domain;
    const opset = this.#opset(domain, node.opType);
    const at = `node "${node.name || node.output[0] || '?'}" (${domain || 'ai.onnx'}.${node.opType}, opset ${opset})`;
    const attributes = readAttributes(node.attribute, at, this.#flour.store.checksum);
    const inputs = node.input.map((input) => (input === '' ? undefined : this.#input(input, at)));

    const constants = inputs.flatMap((value) => (value?.kind === 'constant' ? [value.tensor] : []));
    if (domain === '' && constants.length === inputs.length) {
      const folded = foldConstants(node.opType, constants, attributes);
      this.#folded += folded?.data.length ?? 0;
      if (this.#folded > MAX_FOLDED)
        throw onnxError('ERR_ONNX_LIMIT', { received: `constants that grow to ${this.#folded} elements`, at });
      if (folded !== undefined) return this.#define(node.output[0]!, { kind: 'constant', tensor: folded }, at);
    }
    const mapping = this.#mapping(domain, node.opType, opset, at);
    const use = this.#use(node.opType, opset, attributes, inputs, at);
    const flows = withPlace(at, () => mapping.raise(use));
    node.output.forEach((output, index) => {
      const flow = flows[index];
      if (output !== '' && flow !== undefined) this.#define(output, { kind: 'row', flow }, at);
    });
  }

  /** Every domain in use must be declared, but in files older than operator sets (IR 1 and 2). A file that was cut off lacks some. */
  #opset(domain: string, operator: string): number {
    const declared = this.#opsets.get(domain) ?? (this.#irVersion < 3 ? 1 : undefined);
    if (declared !== undefined) return declared;
    throw onnxError('ERR_ONNX_GRAPH', {
      expected: `an operator set for domain "${domain || 'ai.onnx'}"`,
      received: 'none',
      at: operator,
      hint: 'the file is cut off, or its opset_import is not complete',
    });
  }

  #mapping(domain: string, operator: string, opset: number, at: string): OnnxMapping {
    const known = mappings.get(`${domain}:${operator}`);
    const found = known?.find(({ versions: [from, to] }) => opset >= from && opset <= to);
    if (found !== undefined) return found;
    const received = known === undefined ? `${domain || 'ai.onnx'}.${operator}` : `version ${opset} of it`;
    throw onnxError('ERR_ONNX_UNSUPPORTED', { received, at });
  }

  #use(
    operator: string,
    opset: number,
    attributes: OnnxUse['attributes'],
    inputs: OnnxUse['inputs'],
    at: string,
  ): OnnxUse {
    return {
      flour: this.#flour,
      repairNgrams: this.#repairNgrams,
      operator,
      opset,
      attributes,
      inputs,
      row(index): Flow {
        const value = inputs[index];
        if (value?.kind === 'row') return value.flow;
        throw onnxError('ERR_ONNX_UNSUPPORTED', {
          received: `input ${index} is ${value === undefined ? 'missing' : 'a constant'}`,
          at,
        });
      },
      constant(index): OnnxConstant | undefined {
        const value = inputs[index];
        return value?.kind === 'constant' ? value.tensor : undefined;
      },
      unsupported: (received, hint) =>
        onnxError('ERR_ONNX_UNSUPPORTED', { received, at, ...(hint !== undefined && { hint }) }),
      warn: (message) => void this.warnings.push(`${at}: ${message}`),
    };
  }

  #input(name: string, at: string): OnnxValue {
    const value = this.#values.get(name);
    if (value !== undefined) return value;
    throw onnxError('ERR_ONNX_GRAPH', { expected: `value "${name}" before its user`, received: 'none', at });
  }

  #define(name: string, value: OnnxValue, at: string): void {
    if (this.#values.has(name)) throw onnxError('ERR_ONNX_GRAPH', { received: `"${name}" is defined twice`, at });
    this.#values.set(name, value);
  }

  #output(name: string): Flow {
    const value = this.#values.get(name);
    if (value?.kind === 'row') return value.flow;
    const [code, received] =
      value === undefined
        ? (['ERR_ONNX_GRAPH', 'nothing that gives it'] as const)
        : (['ERR_ONNX_SHAPE', 'a constant'] as const);
    throw onnxError(code, { expected: 'a value of the row', received, at: `output "${name}"` });
  }
}

/** Faults of a mapping that come from Flour (sizes, types) get the node's name. */
function withPlace<T>(at: string, raise: () => T): T {
  try {
    return raise();
  } catch (cause) {
    if (!(cause instanceof BrezelError) || cause.code.startsWith('ERR_ONNX')) throw cause;
    throw onnxError('ERR_ONNX_SHAPE', { received: cause.message, at, hint: cause.hint, cause });
  }
}
