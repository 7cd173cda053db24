/** A value that JSON can represent. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

/** Returns a value as JSON text. Typed arrays become lists, and a bigint becomes a string. */
export const toJson = (value: unknown): string => JSON.stringify(value, plain);

function plain(_name: string, value: unknown): unknown {
  if (typeof value === 'bigint') return `${value}`;
  return ArrayBuffer.isView(value) && !(value instanceof DataView) ? Array.from(value as never) : value;
}
