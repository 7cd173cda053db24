import { Readable } from 'node:stream';
import { dtypeOf, type InputPort, sizeOf } from '@brezel/core';
import { parse } from 'csv-parse';
import { cliError } from '../errors.js';
import type { InvalidRow } from './json-rows.js';
import { decodeValue, type NumberedRow } from './rows.js';

/**
 * The largest CSV record in characters. Without a limit, an unclosed quote would fill the memory.
 */
const MAX_RECORD = 2 ** 24;

interface Parsed {
  readonly record: readonly string[];
  readonly info: { readonly lines: number };
}

/**
 * Yields the rows of CSV text with a header (RFC 4180). The header names the inputs of the model,
 * or `input[0]`, `input[1]`, ... for the elements of a vector. If the model has only a vector input
 * and the header does not name it, the columns of the file are the elements of the vector in order.
 *
 * @throws ERR_CLI_ROW for a header that does not fit the model, and for malformed CSV.
 */
export async function* csvRows(
  source: AsyncIterable<Uint8Array>,
  inputs: readonly InputPort[],
  ignoresExtraColumns = false,
): AsyncGenerator<NumberedRow | InvalidRow> {
  const parser = parse({
    bom: true,
    info: true,
    relax_column_count: true,
    max_record_size: MAX_RECORD,
    skip_empty_lines: true,
  });
  const records = Readable.from(source)
    .on('error', (error) => parser.destroy(error))
    .pipe(parser);
  let toRow: ((record: readonly string[]) => NumberedRow['fields']) | undefined;
  let columns = 0;
  try {
    for await (const { record, info } of records as AsyncIterable<Parsed>) {
      if (toRow === undefined) {
        [toRow, columns] = [rowMaker(record, inputs, ignoresExtraColumns), record.length];
        continue;
      }
      const { lines: line } = info;
      if (record.length === columns) yield { line, fields: toRow(record) };
      else yield { line, error: wrongCount(columns, record.length, line) };
    }
  } catch (cause) {
    throw malformed(cause);
  }
}

/** Returns a function that converts a CSV record to a row. The header maps columns to inputs. */
function rowMaker(header: readonly string[], inputs: readonly InputPort[], ignoresExtraColumns: boolean) {
  const targets = targetsOf(header, inputs, ignoresExtraColumns);
  return (record: readonly string[]): NumberedRow['fields'] => {
    const row = new Map<string, unknown>();
    record.forEach((field, column) => {
      const target = targets[column];
      if (target === undefined) return;
      const { input, index } = target;
      const value = parsed(field, dtypeOf(input.type));
      if (index === undefined) row.set(input.name, value);
      else {
        const list = (row.get(input.name) as unknown[] | undefined) ?? new Array(sizeOf(input.type));
        list[index] = value;
        row.set(input.name, list);
      }
    });
    return Object.fromEntries(row);
  };
}

interface Target {
  readonly input: InputPort;
  /** The index of the element, if the column is an element of a vector input. */
  readonly index?: number;
}

/**
 * Returns, for each column of the CSV file, the input that it fills, or the element of a vector
 * input. Returns undefined for an ignored column. A column may be absent if its input accepts
 * missing values.
 */
function targetsOf(
  header: readonly string[],
  inputs: readonly InputPort[],
  ignoresExtraColumns: boolean,
): (Target | undefined)[] {
  const targets = new Map<string, Target>();
  for (const input of inputs) {
    const size = input.type.kind === 'vector' ? sizeOf(input.type) : undefined;
    if (size === undefined) targets.set(input.name, { input });
    else for (let index = 0; index < size; index++) targets.set(`${input.name}[${index}]`, { input, index });
  }
  const isByOrder =
    inputs.length === 1 &&
    inputs[0]!.type.kind === 'vector' &&
    header.length === targets.size &&
    !header.some((name) => targets.has(name));
  const found = isByOrder
    ? [...targets.values()]
    : header.map((name) => targets.get(name) ?? (ignoresExtraColumns ? undefined : unknown(name, targets)));
  const known = found.filter((target) => target !== undefined);
  if (new Set(known).size < known.length) throw badHeader('different columns', 'a column twice');
  const missing = [...targets].find(([, target]) => !found.includes(target) && !mayBeAbsent(target));
  if (missing !== undefined) throw badHeader(`a column "${missing[0]}"`, `"${header.join(',')}"`);
  return found;
}

const mayBeAbsent = ({ input: { missing }, index }: Target): boolean =>
  missing === true || (index !== undefined && missing?.[index] === true);

/** Converts a field to the value of an input. An empty field of a float input is NaN. */
function parsed(field: string, dtype: ReturnType<typeof dtypeOf>): unknown {
  if (dtype === 'string') return field;
  const text = field.trim();
  if (dtype === 'bool')
    return text === 'true' || text === '1' ? true : text === 'false' || text === '0' ? false : field;
  if (text === '') return dtype === 'float32' || dtype === 'float64' ? Number.NaN : field;
  const special = decodeValue(text, dtype);
  if (special !== text) return special;
  const number = Number(text);
  return Number.isNaN(number) ? field : number;
}

function unknown(name: string, targets: ReadonlyMap<string, Target>): never {
  const names = [...targets.keys()];
  const shown = names.length > 8 ? `${names.slice(0, 8).join(', ')}, ...` : names.join(', ');
  throw badHeader(`columns ${shown}`, `column "${name}"`);
}

const badHeader = (expected: string, received: string) =>
  cliError('ERR_CLI_ROW', {
    expected,
    received,
    at: 'line 1',
    hint: 'the first line of the CSV names the inputs of the model; run brezel inspect to list them',
  });

const wrongCount = (expected: number, received: number, line: number) =>
  cliError('ERR_CLI_ROW', {
    expected: `${expected} fields, as in the first line`,
    received: `${received}`,
    at: `line ${line}`,
    hint: 'quote fields that contain a comma or a line break',
  });

/**
 * Converts an error of the CSV parser to an error of the command line. Its message already contains
 * the line number.
 */
function malformed(cause: unknown): unknown {
  const { code, lines, message } = cause as { code?: string; lines?: number; message: string };
  if (!code?.startsWith('CSV_')) return cause;
  const at = lines === undefined ? undefined : `line ${lines}`;
  return cliError('ERR_CLI_ROW', { expected: 'CSV', received: message, at, hint: 'see RFC 4180 for quoting', cause });
}
