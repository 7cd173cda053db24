import { httpError } from './errors.js';

/**
 * The largest number of characters in the texts of one row whose answer is explained. More
 * characters fail with ERR_HTTP_EXPLANATION. An explanation lists every occurrence of an n-gram,
 * and no other request can run while the server explains a row.
 */
const MOST_OF_ROW = 2 ** 16;
/** The largest number of characters in the texts of all rows of a list with explanations. */
const MOST_OF_LIST = 2 ** 20;

/**
 * Checks the texts of a row whose answer the server explains.
 * @param row the parsed JSON of the row
 * @throws ERR_HTTP_EXPLANATION for more than 65,536 characters
 */
export function checkExplainedRow(row: unknown): void {
  checkCharacters(charactersIn(row), MOST_OF_ROW, 'the texts of a row');
}

/**
 * Checks the texts of a list of rows whose answers the server explains.
 * @param rows the parsed JSON of the rows
 * @throws ERR_HTTP_EXPLANATION for more than 65,536 characters in a row, or 1,048,576 in the list
 */
export function checkExplainedRows(rows: readonly unknown[]): void {
  let sum = 0;
  for (const row of rows) {
    const count = charactersIn(row);
    checkCharacters(count, MOST_OF_ROW, 'the texts of a row');
    sum += count;
  }
  checkCharacters(sum, MOST_OF_LIST, 'the texts of a list');
}

function checkCharacters(count: number, most: number, where: string): void {
  if (count <= most) return;
  throw httpError('ERR_HTTP_EXPLANATION', {
    expected: `at most ${most} characters in ${where} with contributions`,
    received: `${count}`,
  });
}

/**
 * Counts the UTF-16 units of all texts in a row, and of the keys of dictionaries. Uses no
 * recursion, because a client chooses the depth of the JSON.
 */
function charactersIn(row: unknown): number {
  let count = 0;
  const open: unknown[] = isObject(row) ? Object.values(row) : [row];
  const add = (value: unknown) => {
    if (typeof value === 'string') count += value.length;
    else if (isObject(value)) open.push(value);
  };
  while (open.length > 0) {
    const next = open.pop();
    if (Array.isArray(next)) for (const element of next) add(element);
    else if (isObject(next))
      for (const [key, value] of Object.entries(next)) {
        count += key.length;
        add(value);
      }
    else add(next);
  }
  return count;
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;
