import type { TensorAttributes, TensorCall } from './define.js';

/**
 * Caches a value that depends on a node's attributes only, such as a compiled pattern. Built at the
 * first run and stored with the attributes.
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
