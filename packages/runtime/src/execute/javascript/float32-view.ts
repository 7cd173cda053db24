const views = new WeakMap<Uint8Array, Float32Array>();

/**
 * Returns the bytes of a parameter as a Float32Array. The view is cached for each parameter,
 * because creating a view costs more than a short dot product.
 */
export function float32View(bytes: Uint8Array): Float32Array {
  let view = views.get(bytes);
  if (view === undefined) {
    const aligned = bytes.byteOffset % 4 === 0 ? bytes : bytes.slice();
    view = new Float32Array(aligned.buffer, aligned.byteOffset, aligned.byteLength >> 2);
    views.set(bytes, view);
  }
  return view;
}
