import { controlOperator } from './control/index.js';
import type { TensorAttributes } from './define.js';
import type { NodeCall, TensorExecutable } from './executable.js';
import { kernelOfOperator } from './operator-kernels.js';
import { tensorOperator } from './registry.js';

/** What is known of a node before anything runs. */
export interface NodeFacts {
  /** Empty for the standard operators. */
  readonly domain: string;
  readonly operator: string;
  /** Operator-set version of its domain. */
  readonly opset: number;
  readonly attributes: TensorAttributes;
  /** Inputs and outputs it names, left-out ones in between included. */
  readonly inputs: number;
  readonly outputs: number;
  /** Names of its subgraphs' attributes. */
  readonly bodies: readonly string[];
}

/** Finds what runs a node, or leaves it to the next resolver. The place for stages that other runtimes execute. */
export type TensorResolver = (node: NodeFacts) => TensorExecutable | undefined;

/** Brezel's own: the registry of operators, then control flow. */
export const ownResolvers: readonly TensorResolver[] = [
  ({ domain, operator, opset }) => {
    const found = tensorOperator(domain, operator, opset);
    const kernel = kernelOfOperator(domain, operator);
    return found && Object.assign((call: NodeCall) => found.run(call), { kernel });
  },
  ({ domain, operator, opset }) => controlOperator(domain, operator, opset),
];

/** The first answer of a list of resolvers. */
export function resolveNode(node: NodeFacts, resolvers: readonly TensorResolver[]): TensorExecutable | undefined {
  for (const resolver of resolvers) {
    const found = resolver(node);
    if (found !== undefined) return found;
  }
  return undefined;
}
