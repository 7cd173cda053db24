import type { TensorPort } from '@brezel/core';
import { controlOperator } from './control/index.js';
import type { TensorAttributes, TensorCall } from './define.js';
import { tensorOperator } from './registry.js';
import type { TensorValue } from './tensor.js';

/** A subgraph of a node, ready to run. Values of the graphs around it are bound. */
export interface TensorBody {
  /** How many inputs it takes. */
  readonly inputs: number;
  /** What its outputs are declared to be. */
  readonly results: readonly TensorPort[];
  /** Runs it once. @throws ERR_FLOUR_LIMIT when the request has run too many steps. */
  run(inputs: readonly (TensorValue | undefined)[]): readonly (TensorValue | undefined)[];
}

/** All that an executable sees of one use: what operators see, and the node's subgraphs by attribute. */
export interface NodeCall extends TensorCall {
  readonly bodies: Readonly<Record<string, TensorBody>>;
}

/** What runs a node: a pure function. Every operator's `run` is one. */
export type TensorExecutable = (call: NodeCall) => readonly (TensorValue | undefined)[];

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
    return found && ((call) => found.run(call));
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
