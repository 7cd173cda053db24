import { controlOperator } from './control/index.js';
import type { TensorAttributes } from './define.js';
import type { NodeCall, TensorExecutable } from './executable.js';
import { kernelOfOperator } from './operator-kernels.js';
import { tensorOperator } from './registry.js';

/** What is known about a node before the program runs. */
export interface NodeFacts {
  /** Empty for the standard domain. */
  readonly domain: string;
  readonly operator: string;
  /** Operator-set version of its domain. */
  readonly opset: number;
  readonly attributes: TensorAttributes;
  /** Numbers of inputs and outputs, including missing ones in between. */
  readonly inputs: number;
  readonly outputs: number;
  /** Attribute names of its subgraphs. */
  readonly bodies: readonly string[];
}

/**
 * Finds the executable of a node, or leaves the node to the next resolver. Other runtimes plug in
 * here.
 */
export type TensorResolver = (node: NodeFacts) => TensorExecutable | undefined;

/** Brezel's resolvers: the operator registry, then control flow. */
export const ownResolvers: readonly TensorResolver[] = [
  ({ domain, operator, opset }) => {
    const found = tensorOperator(domain, operator, opset);
    const kernel = kernelOfOperator(domain, operator);
    return found && Object.assign((call: NodeCall) => found.run(call), { kernel });
  },
  ({ domain, operator, opset }) => controlOperator(domain, operator, opset),
];

/** Returns the first result of a list of resolvers. */
export function resolveNode(node: NodeFacts, resolvers: readonly TensorResolver[]): TensorExecutable | undefined {
  for (const resolver of resolvers) {
    const found = resolver(node);
    if (found !== undefined) return found;
  }
  return undefined;
}
