import { sizeOf, type TensorPort } from '@brezel/core';
import type { Program } from '@brezel/flour';

/**
 * Outputs of which the file declares another number of columns than its graph gives: exporters
 * write these shapes by hand. Shapes are compared where they say rows of a size, `[free, k]`; those
 * of labels take too many forms. The graph is right.
 */
export function wronglyDeclared(declared: readonly TensorPort[], { outputs }: Program): string[] {
  const types = new Map(outputs.map(({ name, node }) => [name, node.type]));
  return declared.flatMap(({ name, kind, shape }) => {
    const type = types.get(name);
    if (kind !== 'tensor' || shape?.length !== 2 || (type?.kind !== 'vector' && type?.kind !== 'sparse')) return [];
    const [rows, columns] = shape;
    if (typeof rows === 'number' || typeof columns !== 'number' || columns === sizeOf(type)) return [];
    return [`output "${name}" is declared with ${columns} columns, and has ${sizeOf(type)}`];
  });
}
