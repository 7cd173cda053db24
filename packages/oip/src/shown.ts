const SHOWN_CHARACTERS = 40;

/** Describes a value of any depth in a few words, for error messages. */
export function shown(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (typeof value === 'string') return `text ${JSON.stringify(value.slice(0, SHOWN_CHARACTERS))}`;
  return typeof value === 'object' ? 'an object' : `${value}`;
}
