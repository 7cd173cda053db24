import type { TensorAttributes, TensorCall } from './define.js';

/** What follows from the attributes of a node alone, e.g. a compiled pattern: built at its first run and kept with them. */
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
