import type { GraphProto } from './proto/schema.js';
import { domainOf } from './tensor-names.js';

/**
 * Returns the inputs of a graph whose elements no node reads. CastLike reads only the type, so it
 * is ignored here. Callers often pass other shapes than the file declares for such inputs; some of
 * ONNX's test cases do so.
 */
export function unreadInputs({ input, node, output }: GraphProto): ReadonlySet<string> {
  const unread = new Set(input.map(({ name }) => name));
  for (const { name } of output) unread.delete(name);
  for (const { domain, opType, input: read, attribute } of node) {
    // A subgraph may read any input.
    if (attribute.some(({ g, graphs }) => g !== undefined || graphs.length > 0)) return new Set();
    const asksForType = domainOf(domain) === '' && opType === 'CastLike';
    read.forEach((name, at) => {
      if (!asksForType || at !== 1) unread.delete(name);
    });
  }
  return unread;
}
