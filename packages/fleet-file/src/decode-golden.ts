import { type CompiledPlan, dtypeOf, sizeOf } from '@brezel/core';
import type { Golden } from './encode.js';
import { throwFormatError } from './format-error.js';
import { ManifestReader, vtableOffsets } from './manifest-reader.js';

const { Golden: fields, Column: columnFields } = vtableOffsets;

/**
 * Decodes the golden rows of a plan from validated bytes. The values are checked when the rows run.
 *
 * @throws ERR_STORE_FORMAT
 */
export function decodeGolden(bytes: Uint8Array, { inputs, width }: CompiledPlan, at: string): Golden {
  const reader = new ManifestReader(bytes);
  const { root } = reader;
  const rows = reader.uint(root, fields.rows);
  const count = reader.count(root, fields.columns);
  const columns = Array.from({ length: count }, (_, index) => {
    const column = reader.tableAt(root, fields.columns, index);
    const type = inputs[index]?.type ?? throwFormatError(at, 'more columns than inputs');
    const isText = dtypeOf(type) === 'string';
    const values = isText
      ? reader.texts(column, columnFields.texts)
      : reader.column(column, columnFields.numbers).slice();
    if (values.length !== rows * sizeOf(type)) throwFormatError(at, 'a column of the wrong length');
    return values;
  });
  if (columns.length !== inputs.length) throwFormatError(at, `${columns.length} columns`, `${inputs.length}`);
  // copied, because the caller may change the numbers
  const numbers = reader.column(root, fields.numbers).slice();
  const answers = reader.texts(root, fields.answers);
  const isAnswered =
    numbers.length === rows * width ? answers.length === 0 : numbers.length === 0 && answers.length === rows;
  if (!isAnswered) throwFormatError(at, 'different numbers of rows and answers');
  return { rows, columns, numbers, answers };
}
