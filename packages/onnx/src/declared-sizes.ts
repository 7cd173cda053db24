import { sizeOf, type TensorPort } from '@brezel/core';
import type { Program } from '@brezel/flour';

/**
 * Returns a warning for each output `[N, k]` that the graph computes with another size than the
 * declared `k`. Some exporters declare wrong sizes; the program uses the size that the graph
 * computes.
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
