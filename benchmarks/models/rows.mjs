import { acRows, FEATURES } from './attendee-fleet.mjs';
import { oddTexts, reviews } from './reviews.mjs';

// Rows and answers of both kinds of pipelines: rows for Brezel, feeds for onnxruntime, and answers
// as numbers.

/** @typedef {import('./fleets.mjs').Kind} Kind */
/** @typedef {string | { x: Float32Array }} Row */

/**
 * Generates rows. Each `stream` has different rows.
 *
 * @param {Kind} kind
 * @param {number} count
 * @param {number} [stream]
 * @returns {Row[]}
 */
export function rowsOf(kind, count, stream = 1) {
  return kind === 'sa' ? reviews(count, stream) : vectors(count, stream);
}

/**
 * Returns texts for comparing answers: half are reviews, and half are unusual texts of every
 * script. @param {number} count
 */
export const agreementTexts = (count) => [...reviews(Math.ceil(count / 2), 9), ...oddTexts(Math.floor(count / 2))];

/**
 * Returns rows for comparing answers, including unusual texts.
 *
 * @param {Kind} kind
 * @param {number} count
 * @returns {Row[]}
 */
export const agreementRows = (kind, count) => (kind === 'sa' ? agreementTexts(count) : vectors(count, 9));

/** @param {number} count @param {number} stream */
function vectors(count, stream) {
  const values = acRows(count, stream);
  return Array.from({ length: count }, (_, row) => ({ x: values.slice(row * FEATURES, (row + 1) * FEATURES) }));
}

/**
 * Converts rows to an onnxruntime feed.
 *
 * @param {typeof import('onnxruntime-node')} ort
 * @param {Kind} kind
 * @param {readonly Row[]} rows
 */
export function feedOfRows(ort, kind, rows) {
  if (kind === 'sa') return { text: new ort.Tensor('string', /** @type {string[]} */ (rows), [rows.length]) };
  const values = new Float32Array(rows.length * FEATURES);
  rows.forEach((row, index) => values.set(/** @type {{ x: Float32Array }} */ (row).x, index * FEATURES));
  return { x: new ort.Tensor('float32', values, [rows.length, FEATURES]) };
}

/**
 * Returns the number in Brezel's answer: the probability of class 1 (SA), or the attendee count
 * (AC).
 *
 * @param {Record<string, any>} answer
 */
export function numberOf(answer) {
  const value = answer.probabilities?.[1] ?? answer.y;
  return Number(Array.isArray(value) ? value[0] : value);
}

/**
 * Returns the same numbers from the outputs of a session, one number for each row.
 *
 * @param {Record<string, any>} outputs
 * @returns {number[]}
 */
export function numbersOfOutputs({ probabilities, probability, y }) {
  const numbers = Array.from(/** @type {Float32Array} */ ((probabilities ?? probability ?? y).data), Number);
  return probabilities === undefined ? numbers : numbers.filter((_, index) => index % 2 === 1);
}
