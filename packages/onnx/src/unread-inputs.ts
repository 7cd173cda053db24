import type { GraphProto } from './proto/schema.js';
import { domainOf } from './tensor-names.js';

/**
 * Inputs of a graph whose elements nobody reads: no node at all, or CastLike alone, which asks for
 * their type. Files declare them with shapes that their users do not keep to, those of ONNX's own
 * cases among them.
 */
export function unreadInputs({ input, node, output }: GraphProto): ReadonlySet<string> {
  const unread = new Set(input.map(({ name }) => name));
  for (const { name } of output) unread.delete(name);
  for (const { domain, opType, input: read, attribute } of node) {
    if (attribute.some(({ g, graphs }) => g !== undefined || graphs.length > 0)) return new Set(); // a subgraph may read any
    const asksForType = domainOf(domain) === '' && opType === 'CastLike';
    read.forEach((name, at) => {
      if (!asksForType || at !== 1) unread.delete(name);
    });
  }
  return unread;
}
