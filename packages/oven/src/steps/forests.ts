import type { ParameterId } from '@brezel/core';
import { type Forest, float32, forestParts, int32, numbersOf, partNames, treeEnsemble } from '@brezel/flour';
import type { LogicalNode } from '../logical-plan.js';
import type { RuleContext } from '../rule.js';

/** Returns the forest of a `tree-ensemble` node. */
export function forestOf(node: LogicalNode, context: RuleContext): Forest {
  const parts = partsNamed(node).map((name) => [name, numbersOf(context.parameter(node.parameters[name]!))]);
  return Object.fromEntries(parts) as Forest;
}

/**
 * Derives the parameters of a forest from the parameters of other forests. `build` returns the
 * whole forest and runs at most once.
 *
 * @param key a text that identifies what `build` computes. It must contain all values that `build`
 * uses, except the parameters of `sources`.
 */
export function deriveForest(
  key: string,
  sources: readonly (readonly ParameterId[])[],
  context: RuleContext,
  build: () => Forest,
): LogicalNode['parameters'] {
  let built: Forest | undefined;
  const part = (name: keyof Forest) => {
    built ??= build();
    const values = built[name]!;
    return values instanceof Float32Array ? float32(values) : int32(values);
  };
  // Covers can be derived only if every forest has them. They are the last parameter of a forest.
  const hasCovers = sources.every((parts) => parts.length !== forestParts.length);
  const names = partNames(hasCovers ? { cover: true } : {});
  return Object.fromEntries(
    names.map((name) => [name, context.derive(`${name} of ${key}`, sources.flat(), () => part(name))]),
  );
}

/**
 * Returns a node with one forest that replaces several. The node is a copy of the last node, with
 * the parameters of the forest that `build` returns.
 */
export function mergedForest(
  how: 'added' | 'stacked',
  forests: readonly LogicalNode[],
  context: RuleContext,
  build: () => Forest,
): LogicalNode {
  const features = Math.max(...forests.map(({ attributes }) => attributes.features as number));
  const last = forests.at(-1)!;
  const parameters = deriveForest(`${forests.length} forests, ${how}`, forests.map(partsOf), context, build);
  return { ...last, attributes: { ...last.attributes, features }, parameters };
}

/** Returns the ids of a forest's parameters in a fixed order. */
export const partsOf = (node: LogicalNode): ParameterId[] => partsNamed(node).map((name) => node.parameters[name]!);

const partsNamed = ({ parameters }: LogicalNode) => partNames({ cover: parameters.cover });

export const isForest = (node: LogicalNode | undefined): boolean => node?.operator === treeEnsemble;
