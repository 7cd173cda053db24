import { type BlackBox, printPort } from '@brezel/core';
import type { TensorProgram } from '@brezel/tensors';
import { count, printable, printBytes } from './words.js';

/** Nodes that run one after the other in one place. */
interface TensorPart {
  /** `backend`: a black box, of another runtime. */
  readonly place: 'javascript' | 'backend';
  /** As the file calls them: name, operator, operator set. */
  readonly nodes: readonly string[];
  /** Of each node the kernel of the addon that runs it where element types and shapes allow; null where none does. */
  readonly kernels?: readonly (string | null)[];
  /** Of a black box: what crosses its border, and why each of its nodes is in it. */
  readonly blackBox?: Pick<BlackBox, 'nodes' | 'outputs'> & { readonly inputs: readonly string[] };
}

export interface ExplainTensorsOptions {
  /** Why it is no program by rows: `imported.why`. */
  readonly why?: Error;
  /** Default `text`. */
  readonly format?: 'text' | 'json';
}

/**
 * Shows how a program over whole tensors runs: node by node in JavaScript, by which kernels of the addon where there is one, and which nodes another runtime runs, and why.
 *
 * @example
 * const model = importModel(bytes, flour, { blackBox: 'allow' });
 * console.log(model.kind === 'tensor' ? explainTensors(model.program, model) : explain(model.program));
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
    ...view.parts.flatMap((part, at) => ['', ...partLines(part, at + 1)]),
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
    const kernelOf = (at: number) => (kernels[at] ? `  kernel ${kernels[at]}` : '');
    return [title, ...nodes.map((node, at) => `  ${printable(node)}${kernelOf(at)}`)];
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
