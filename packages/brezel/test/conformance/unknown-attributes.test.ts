/// <reference types="vite/client" />
import { checkAttributes } from '@brezel/flour';
import { createFlour, type FlourContext } from 'brezel';
import { afterAll, expect, test } from 'vitest';
import { type OperatorCases, programOf } from '../../../flour/src/case.js';

const modules = import.meta.glob<{ cases: OperatorCases }>('../../../flour/src/{ops,compositions}/*/cases.ts', {
  eager: true,
});
const flour: FlourContext = await createFlour({ native: false });
afterAll(() => flour.dispose());

type Node = ReturnType<typeof programOf>['outputs'][number]['node'];

/** Adds a node, and all nodes from which it is computed, to `found`. */
function collect(node: Node, found: Set<Node>): Set<Node> {
  if (found.has(node)) return found;
  found.add(node);
  for (const input of node.inputs) collect(input, found);
  return found;
}

/** Returns whether an operator accepts a node from a file with these attributes. */
function accepts(node: Node, changes: object): boolean {
  const parameters = Object.fromEntries(
    Object.entries(node.parameters).map(([name, { id }]) => [name, flour.store.info(id) as never]),
  );
  const use = {
    inputs: node.inputs.map(({ type }) => type),
    attributes: { ...node.attributes, ...changes },
    parameters,
  };
  try {
    checkAttributes(node.operator!, use);
    node.operator!.infer(use);
    return true;
  } catch {
    return false;
  }
}

const nodes = Object.values(modules).flatMap(({ cases }) =>
  cases.named.flatMap((one) => [
    ...programOf(flour, one).outputs.reduce((found, { node }) => collect(node, found), new Set<Node>()),
  ]),
);

test('attributes of all cases are accepted', () => {
  const rejected = nodes.filter((node) => node.operator !== undefined && !accepts(node, {}));
  expect(rejected.map(({ operator }) => operator!.name)).toEqual([]);
});

test('an unknown text, and a value of another kind, are rejected', () => {
  const accepted = new Set<string>();
  for (const node of nodes)
    for (const [name, value] of Object.entries(node.attributes)) {
      const other = typeof value === 'string' ? `${value}o` : 'one';
      if (accepts(node, { [name]: other })) accepted.add(`${node.operator!.name} ${name}`);
      if (accepts(node, { [name]: { one: 1 } })) accepted.add(`${node.operator!.name} ${name} as an object`);
    }
  const texts = nodes.flatMap(({ operator }) =>
    Object.entries(operator?.attributes ?? {}).flatMap(([name, rule]) =>
      rule === 'text' || rule === 'text or nothing' ? [`${operator!.name} ${name}`] : [],
    ),
  );
  expect([...accepted].filter((one) => !texts.includes(one))).toEqual([]);
});
