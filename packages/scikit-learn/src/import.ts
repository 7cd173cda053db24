import { scalar, sizeOf, text, vector } from '@brezel/core';
import type { FlourContext, Flow, Program } from '@brezel/flour';
import { type FileNode, type InputPort, type ModelDocument, readDocument } from './document.js';
import { damaged, scikitLearnError } from './errors.js';
import { Node, type NodeWriter } from './node.js';
import { classNodes } from './nodes/classes.js';
import { forestNodes } from './nodes/forest.js';
import { numberNodes } from './nodes/numbers.js';
import { textNodes } from './nodes/texts.js';
import {
  checkArguments,
  type ImportedScikitLearn,
  limitsOf,
  type ScikitLearnLimits,
  type ScikitLearnOptions,
  within,
} from './options.js';

const writers: Readonly<Record<string, NodeWriter>> = { ...classNodes, ...forestNodes, ...numberNodes, ...textNodes };

/**
 * Imports a pipeline of scikit-learn from the JSON file that `tools/python/brezel_export.py`
 * writes.
 *
 * Inputs: the columns of the sample, or `x`, float64[columns], for a sample without column names.
 * Outputs: `label` and `probabilities` (or `decision`) of a classifier, `prediction` of a
 * regressor, `cluster` and `distances`, or `features`. With the default precision, answers equal
 * the answers of scikit-learn, except for the rounding of float64. Cost: O(bytes). If the import
 * fails, the store is unchanged.
 * @throws ERR_SKLEARN_FORMAT for a damaged file, with the node; ERR_SKLEARN_VERSION for a file of
 * another version; ERR_SKLEARN_LIMIT; ERR_SKLEARN_OPTION; the errors of Flour for invalid numbers.
 * @see Source: the `transform` and `predict` methods of scikit-learn's estimators.
 * @example const { program } = importScikitLearn(readFileSync('pipeline.json'), flour);
 */
export function importScikitLearn(
  model: Uint8Array | string,
  flour: FlourContext,
  options: ScikitLearnOptions = {},
): ImportedScikitLearn {
  checkArguments(flour, options);
  const bytes = typeof model === 'string' ? Buffer.from(model) : model;
  const limits = limitsOf(options, bytes.length);
  const document = readDocument(bytes, limits);
  const budget = new Budget(limits, document.nodes.length);
  const program = flour.attempt(() => build(document, flour, options, budget), {
    nonFinite: options.nonFinite,
    onParameter: (elements) => budget.take(elements, 'a parameter'),
  });
  return {
    program,
    producer: document.producer,
    operators: countsOf(document.nodes),
    fileBytes: bytes.length,
    warnings: [],
  };
}

/** Counts elements against `limits.elements`, and operators against `limits.nodes`. */
class Budget {
  readonly #limits: ScikitLearnLimits;
  #taken = 0;
  #nodes: number;

  constructor(limits: ScikitLearnLimits, nodes: number) {
    this.#limits = limits;
    this.#nodes = nodes;
  }

  /** Counts the operators of a node that becomes many operators. */
  takeOperators(operators: number, at: string): void {
    this.#nodes += operators;
    within(this.#limits, 'nodes', this.#nodes, at);
  }

  take(elements: number, at: string): void {
    this.#taken += elements;
    within(this.#limits, 'elements', this.#taken, at);
  }
}

function build(document: ModelDocument, flour: FlourContext, options: ScikitLearnOptions, budget: Budget): Program {
  const { precision = 'float64', name = 'model' } = options;
  const inputs = new Map(document.inputs.map((port) => [port.name, declared(flour, port)]));
  const flows: Flow[] = [];
  document.nodes.forEach(({ op, inputs: numbers, fields }) => {
    if (op === 'input') {
      const port = inputs.get(fields.text('input'));
      if (port === undefined)
        throw damaged(`${fields.at}.input`, 'a declared input', JSON.stringify(fields.get('input')));
      flows.push(port);
      return;
    }
    const write = Object.hasOwn(writers, op) ? writers[op] : undefined;
    if (write === undefined) throw damaged(`${fields.at}.op`, 'a known kind of node', JSON.stringify(op).slice(0, 40));
    const flow = write(
      new Node(
        fields,
        numbers.map((number) => flows[number]!),
        precision,
        budget,
      ),
    );
    budget.take(elementsOf(flow), fields.at);
    flows.push(flow);
  });
  const outputs = chosenOutputs(document, options).map(([output, node]) => [output, asAnswer(flows[node]!)] as const);
  return flour.program(Object.fromEntries(outputs), { name, inputs: [...inputs.values()] });
}

const elementsOf = ({ type }: Flow): number => (Number.isNaN(sizeOf(type)) ? 0 : sizeOf(type));

function declared(flour: FlourContext, { name, kind, width }: InputPort): Flow {
  if (kind === 'text') return flour.input(name, text);
  if (kind !== 'float') return flour.input(name, scalar(kind === 'int' ? 'int64' : 'bool'));
  return flour.input(name, width > 1 ? vector('float64', width) : scalar('float64'));
}

/** Returns the names and nodes of the outputs that the caller wants. */
function chosenOutputs(
  { outputs }: ModelDocument,
  options: ScikitLearnOptions,
): readonly (readonly [string, number])[] {
  if (outputs.size === 0) throw damaged('model.outputs', 'at least one output', 'none');
  const unknown = options.outputs?.find((name) => !outputs.has(name));
  if (unknown !== undefined)
    throw scikitLearnError('ERR_SKLEARN_OPTION', {
      expected: `some of ${[...outputs.keys()].join(', ')}`,
      received: JSON.stringify(unknown) ?? typeof unknown,
      at: 'outputs',
    });
  return [...outputs].filter(([name]) => options.outputs?.includes(name) ?? true);
}

/** Converts a vector of one number to a number, as in the answers of scikit-learn. */
function asAnswer(flow: Flow): Flow {
  const isSingle = flow.kind === 'vector' && sizeOf(flow.type) === 1;
  return isSingle
    ? ((flow as Flow<'vector'>).densify() as Flow<'vector', unknown, readonly number[]>).asScalar()
    : flow;
}

function countsOf(nodes: readonly FileNode[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { op } of nodes)
    if (op !== 'input') counts[`scikit-learn:${op}`] = (counts[`scikit-learn:${op}`] ?? 0) + 1;
  return counts;
}
