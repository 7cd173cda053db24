import { type ReferenceKernel, type StringBlock, strings } from '@brezel/core';

/**
 * Returns one field of each line, split as RFC 4180 defines: a quoted field may contain separators,
 * and two quotes inside it stand for one quote.
 */
export const reference: ReferenceKernel = ({ rows, inputs, attributes }) => {
  const { index, separator, quote } = attributes as { index: number; separator: string; quote: string };
  const lines = (inputs[0] as StringBlock).values;
  return strings(
    rows,
    1,
    lines.map((line) => splitLine(line, separator, quote)[index] ?? ''),
  );
};

/**
 * Returns the fields of one line. A quote starts a quoted field only as the first character of a
 * field. A line end inside a quoted field belongs to the field; any other line end ends the row.
 */
export function splitLine(line: string, separator: string, quote: string): string[] {
  const fields: string[] = [];
  let field = '';
  let at = 0;
  while (true) {
    field = '';
    if (line[at] === quote) {
      at++;
      while (at < line.length) {
        if (line[at] === quote && line[at + 1] === quote) {
          field += quote;
          at += 2;
        } else if (line[at] === quote) {
          at++;
          break;
        } else {
          field += line[at++];
        }
      }
    }
    while (at < line.length && line[at] !== separator && line[at] !== '\n' && line[at] !== '\r') field += line[at++];
    fields.push(field);
    if (line[at] !== separator) return fields;
    at++;
  }
}
