import { controlOperator } from './control/index.js';
import type { TensorAttributes } from './define.js';
import type { NodeCall, TensorExecutable } from './executable.js';
import { kernelOfOperator } from './operator-kernels.js';
import { tensorOperator } from './registry.js';

/** The properties of a node that are known before the program runs. */
export interface NodeFacts {
  /** The domain of the node's operator. Empty for the standard domain of ONNX. */
  readonly domain: string;
  readonly operator: string;
  /** The operator-set version that the model uses for this domain. */
  readonly opset: number;
  readonly attributes: TensorAttributes;
  /** Number of inputs, including missing inputs before the last one. */
  readonly inputs: number;
  readonly outputs: number;
  /** Names of the attributes that hold the node's subgraphs. */
  readonly bodies: readonly string[];
}

/**
 * Returns the executable of a node, or undefined so that the next resolver is called. Another
 * runtime can supply a resolver.
 */
export type TensorResolver = (node: NodeFacts) => TensorExecutable | undefined;

/** The resolvers that Brezel always uses, in order: the operator registry, then control flow. */
export const ownResolvers: readonly TensorResolver[] = [
  ({ domain, operator, opset }) => {
    const found = tensorOperator(domain, operator, opset);
    const kernel = kernelOfOperator(domain, operator);
    return (
      found &&
      Object.assign((call: NodeCall) => found.run(call), { kernel, ...(found.steps && { steps: found.steps }) })
    );
  },
  ({ domain, operator, opset }) => controlOperator(domain, operator, opset),
];

/** Returns the executable of the first resolver that has one. */
export function resolveNode(node: NodeFacts, resolvers: readonly TensorResolver[]): TensorExecutable | undefined {
  for (const resolver of resolvers) {
    const found = resolver(node);
    if (found !== undefined) return found;
  }
  return undefined;
}
