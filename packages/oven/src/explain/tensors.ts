import { type BlackBox, printPort } from '@brezel/core';
import type { TensorProgram } from '@brezel/tensors';
import { count, printable, printBytes } from './words.js';

/** Consecutive nodes of a tensor program that the same engine runs. */
interface TensorPart {
  /**
   * The engine that runs the nodes: `javascript` (with kernels of the addon for some nodes), or
   * `backend`, another runtime that runs them as a black box.
   */
  readonly place: 'javascript' | 'backend';
  /**
   * The name, operator, domain and version of each node; for a black box, only the names and
   * operators.
   */
  readonly nodes: readonly string[];
  /**
   * For each node, the native kernel of its operator, or null if the operator has no kernel. The
   * kernel runs the node if it supports the element types and shapes.
   */
  readonly kernels?: readonly (string | null)[];
  /**
   * Set for a black box: the names of its inputs and outputs, and its nodes, each with the reason
   * why Brezel does not run the node itself (`why`).
   */
  readonly blackBox?: Pick<BlackBox, 'nodes' | 'outputs'> & { readonly inputs: readonly string[] };
}

/** Options of `explainTensors`. */
export interface ExplainTensorsOptions {
  /** The reason why the model was not imported as a row program: `imported.why`. */
  readonly why?: Error;
  /** Output format. Default `text`. */
  readonly format?: 'text' | 'json';
}

/**
 * Shows how a tensor program runs: which nodes run in JavaScript or in native kernels, which nodes
 * another runtime runs, and why.
 *
 * Cost: O(nodes).
 *
 * @example
 * const model = importModel(bytes, flour, { blackBox: 'allow' });
 * if (model.kind === 'tensor') console.log(explainTensors(model.program, model));
 */
export function explainTensors(program: TensorProgram, { why, format = 'text' }: ExplainTensorsOptions = {}): string {
  const { name, nodes, constantBytes } = program;
  const [inputs, outputs] = [program.inputs, program.outputs].map((ports) =>
    ports.map((port) => ({ name: port.name, type: printPort(port) })),
  );
  const view = { name, inputs, outputs, nodes, constantBytes, why: why?.message, parts: partsOf(program) };
  if (format === 'json') return JSON.stringify(view, undefined, 2);
  const lines = [
    `program ${printable(name)}: over whole tensors, ${count(nodes, 'node')}, ${printBytes(constantBytes)} of constants`,
    ...(why === undefined ? [] : [`not row by row: ${printable(why.message)}`]),
    ...inputs!.map(({ name, type }) => `input   ${printable(name)} : ${printable(type)}`),
    ...outputs!.map(({ name, type }) => `output  ${printable(name)} : ${printable(type)}`),
    ...view.parts.flatMap((part, index) => ['', ...partLines(part, index + 1)]),
  ];
  return lines.join('\n');
}

function partsOf({ graph }: TensorProgram): TensorPart[] {
  const parts: (TensorPart & { nodes: string[]; kernels?: (string | null)[] })[] = [];
  for (const { at, blackBox, execute } of graph.nodes) {
    const last = parts.at(-1);
    const kernel = execute.kernel ?? null;
    if (blackBox !== undefined)
      parts.push({ place: 'backend', nodes: namesIn(blackBox), blackBox: borderOf(blackBox) });
    else if (last?.place === 'javascript') {
      last.nodes.push(at);
      last.kernels!.push(kernel);
    } else parts.push({ place: 'javascript', nodes: [at], kernels: [kernel] });
  }
  return parts;
}

const namesIn = ({ nodes }: BlackBox): string[] => nodes.map(({ name, operator }) => `${name} (${operator})`);

const borderOf = ({ nodes, inputs, outputs }: BlackBox) => ({ nodes, outputs, inputs: inputs.map(({ name }) => name) });

function partLines({ nodes, kernels = [], blackBox }: TensorPart, number: number): string[] {
  const head = `part ${number}  ${count(nodes.length, 'node')}`;
  if (blackBox === undefined) {
    const fast = kernels.filter((kernel) => kernel !== null).length;
    const title = `${head} in JavaScript${fast > 0 ? `, ${fast} with a kernel in the addon` : ''}`;
    const kernelOf = (index: number) => (kernels[index] ? `  kernel ${kernels[index]}` : '');
    return [title, ...nodes.map((node, index) => `  ${printable(node)}${kernelOf(index)}`)];
  }
  const [from, to] = [blackBox.inputs, blackBox.outputs].map((names) =>
    names.map((name) => printable(name)).join(', '),
  );
  return [
    `${head} in a backend  ${from} -> ${to}`,
    ...blackBox.nodes.map(
      ({ name, operator, why }) => `  ${printable(name)}  ${printable(operator)}: ${printable(why)}`,
    ),
  ];
}
