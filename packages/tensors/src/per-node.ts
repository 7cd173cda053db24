import type { TensorAttributes, TensorCall } from './define.js';

/**
 * Returns a function that caches the result of `build` for each node. The result, for example a
 * compiled pattern, must depend only on the node's attributes and operator-set version. It is built
 * at the first run of the node.
 */
export function perNode<T>(build: (call: TensorCall) => T): (call: TensorCall) => T {
  const built = new WeakMap<TensorAttributes, { readonly opset: number; readonly value: T }>();
  return (call) => {
    const known = built.get(call.attributes);
    if (known?.opset === call.opset) return known.value;
    const value = build(call);
    built.set(call.attributes, { opset: call.opset, value });
    return value;
  };
}
