import type { GraphProto } from './proto/schema.js';
import { domainOf } from './tensor-names.js';

/**
 * Returns the inputs of a graph whose elements no node reads. A CastLike that reads only the type
 * of an input does not count. For such inputs callers often pass other shapes than the file
 * declares, also in ONNX's test cases.
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
