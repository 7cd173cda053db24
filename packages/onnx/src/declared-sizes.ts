import { sizeOf, type TensorPort } from '@brezel/core';
import type { Program } from '@brezel/flour';

/**
 * Finds outputs whose declared number of columns differs from the number that the graph computes.
 * Some exporters write such declarations, and the graph is right. Compares shapes `[free, k]` only,
 * because shapes of labels take too many forms.
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
