import { type CompiledPlan, dtypeOf, sizeOf } from '@brezel/core';
import type { Golden } from './encode.js';
import { fault } from './fault.js';
import { ManifestReader, places } from './manifest-reader.js';

const { Golden: fields, Column: columnFields } = places;

/** Golden rows of a plan, out of bytes that were validated; their values are checked when they are answered. @throws ERR_STORE_FORMAT */
export function decodeGolden(bytes: Uint8Array, { inputs, width }: CompiledPlan, at: string): Golden {
  const reader = new ManifestReader(bytes);
  const { root } = reader;
  const rows = reader.uint(root, fields.rows);
  const count = reader.count(root, fields.columns);
  const columns = Array.from({ length: count }, (_, index) => {
    const column = reader.tableAt(root, fields.columns, index);
    const type = inputs[index]?.type ?? fault(at, 'more columns than inputs');
    const isText = dtypeOf(type) === 'string';
    const values = isText
      ? reader.texts(column, columnFields.texts)
      : reader.column(column, columnFields.numbers).slice();
    if (values.length !== rows * sizeOf(type)) fault(at, 'a column of another length');
    return values;
  });
  if (columns.length !== inputs.length) fault(at, `${columns.length} columns`, `${inputs.length}`);
  const numbers = reader.column(root, fields.numbers).slice(); // the caller may change them
  const answers = reader.texts(root, fields.answers);
  const isAnswered =
    numbers.length === rows * width ? answers.length === 0 : numbers.length === 0 && answers.length === rows;
  if (!isAnswered) fault(at, 'other numbers of rows and answers');
  return { rows, columns, numbers, answers };
}
