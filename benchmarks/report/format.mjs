// Formats the numbers and texts of records for documents.

/**
 * Formats a number with three significant digits and thousands separators.
 * @param {number} value
 */
export function number(value) {
  if (value === 0) return '0';
  const rounded = Number(value.toPrecision(3));
  if (Math.abs(rounded) >= 1000) return rounded.toLocaleString('en-US');
  return Math.abs(rounded) < 0.001 ? rounded.toPrecision(2) : rounded.toPrecision(3);
}

/**
 * Formats a ratio: `98.3x`.
 *
 * @param {number} value
 */
export const times = (value) => `${number(value)}x`;

/**
 * @param {number | undefined} low
 * @param {number | undefined} high
 */
export const range = (low, high) => (low === undefined || high === undefined ? '' : `${number(low)}-${number(high)}`);

/**
 * For each small unit, the value from which a larger unit replaces it.
 *
 * @type {Record<string, [from: number, divisor: number, unit: string]>}
 */
const larger = { MiB: [1000, 1024, 'GiB'], µs: [1000, 1000, 'ms'], ms: [1000, 1000, 's'] };

/**
 * Converts two values to one unit, so that three digits are enough.
 *
 * @param {number} ours
 * @param {number} theirs
 * @param {string} unit
 */
export function scaledPair(ours, theirs, unit) {
  const [from, divisor, next] = larger[unit] ?? [Number.POSITIVE_INFINITY, 1, unit];
  return Math.min(ours, theirs) >= from || Math.max(ours, theirs) >= 20 * from
    ? { ours: ours / divisor, theirs: theirs / divisor, unit: next }
    : { ours, theirs, unit };
}

/**
 * Converts a value to the unit that `scaledPair` chose.
 *
 * @param {number} value
 * @param {string} from
 * @param {string} to
 */
export const inUnit = (value, from, to) => {
  if (from === to) return value;
  return from === 'MiB' ? value / 1024 : value / 1000;
};

/**
 * Pairs of a phrase in the benchmark records and its replacement in the generated pages. Records
 * never change a phrase, because the phrase identifies a metric in several runs.
 *
 * @type {[RegExp, string][]}
 */
const phrases = [
  [/ pipelines of the paper's workload/, ' pipelines'],
  [/\(rival, (\d+) loaded, the others counted as further ones\)/, '(onnxruntime: $1 loaded, the rest extrapolated)'],
  [/, (\d+) loaded, the others counted as further ones/, ', $1 loaded, the rest extrapolated'],
  [/^load (\d+)/, 'load time of $1'],
  [/^most requests a second/, 'highest request rate'],
  [/\(rival: (\d+)\)/, '(onnxruntime: $1)'],
  [/, kept results$/, ', materialization'],
  [/\b(requests|rows) a second\b/g, '$1 per second'],
  [/µs a call/g, 'µs per call'],
  [/speedup a pipeline/, 'speedup per pipeline'],
  [/threads as it likes/g, 'default threads'],
  [/JavaScript fallback/g, 'JavaScript engine'],
  [/\bfallback\b/g, 'JavaScript'],
  [/natural graph/g, 'exported graph'],
  [/^Map code$/, 'JavaScript code with Maps'],
  [/^files as exported$/, 'exported files'],
  [/^load a further model of it/, 'load a further model of the fleet file'],
  [/: its first prediction$/, ': first prediction of the model'],
  [/onnxruntime natural/g, 'onnxruntime, exported graph'],
  [/onnxruntime expert/g, 'onnxruntime, expert graph'],
  [/^beside another process that computes$/, 'beside one busy process'],
  [/^beside as many as there are cores$/, 'beside one busy process per core'],
  [
    /The trees therefore take 0\.00 µs/g,
    'This is more than the time of a row, so it does not show the time of the trees',
  ],
  [
    /of CPU, the bare route (\S+ µs), predictSync (\S+ µs); the difference is /,
    'of CPU. A bare Fastify route, which parses the same body and answers a constant, takes $1, and `predictSync` takes $2. The difference is ',
  ],
  [
    /the p99 is (\S+ ms), of the bare route (\S+ ms); the client sent requests (\S+ ms) late \(p99\)/,
    'the p99 is $1. The p99 of a bare Fastify route, which answers a constant, is $2. The client sent 99 % of the requests at most $3 late',
  ],
  [
    /of CPU; the bare route, which parses the same JSON and answers one row, takes (\S+ µs) per row\. The rival takes /,
    'of CPU. A bare Fastify route, which parses the same JSON and answers one row, takes $1 per row. The rival, Fastify over onnxruntime-node, takes ',
  ],
  [/that counts (words and pairs of words|character 3-grams) only takes/g, 'that counts only $1 takes'],
];

/** @param {unknown} text of a record */
export const words = (text) => phrases.reduce((all, [pattern, phrase]) => all.replace(pattern, phrase), String(text));

/**
 * Formats a text for a cell of a Markdown table.
 *
 * @param {unknown} text
 */
export const cell = (text) => words(text).replaceAll('|', '\\|').replace(/\s+/g, ' ');

/**
 * Wraps prose at 100 columns.
 *
 * @param {string} text
 * @param {string} [indent] of further lines
 */
export function wrapped(text, indent = '') {
  const lines = [''];
  for (const word of text.split(/\s+/)) {
    const line = /** @type {string} */ (lines.at(-1));
    if (line.trim() === '' || line.length + word.length < 100)
      lines[lines.length - 1] = `${line}${line.trim() === '' ? '' : ' '}${word}`;
    else lines.push(`${indent}${word}`);
  }
  return lines.join('\n');
}
