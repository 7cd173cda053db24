import { agreementTexts } from '../lib/agree.mjs';
import { reviews } from '../lib/workload.mjs';
import { acRows, FEATURES } from './ac.mjs';

// What pipelines of either kind are asked, and what they say: as rows of Brezel, as feeds of onnxruntime, as numbers.

/** @typedef {import('./fleets.mjs').Kind} Kind */
/** @typedef {string | { x: Float32Array }} Row */

/** @param {Kind} kind @param {number} count @param {number} [stream] other streams, other rows @returns {Row[]} */
export function rowsOf(kind, count, stream = 1) {
  return kind === 'sa' ? reviews(count, stream) : vectors(count, stream);
}

/** Rows to compare answers on: texts of every script among them. @param {Kind} kind @param {number} count @returns {Row[]} */
export const agreementRows = (kind, count) => (kind === 'sa' ? agreementTexts(count) : vectors(count, 9));

/** @param {number} count @param {number} stream */
function vectors(count, stream) {
  const values = acRows(count, stream);
  return Array.from({ length: count }, (_, row) => ({ x: values.slice(row * FEATURES, (row + 1) * FEATURES) }));
}

/** A feed of some rows. @param {typeof import('onnxruntime-node')} ort @param {Kind} kind @param {readonly Row[]} rows */
export function feedOfRows(ort, kind, rows) {
  if (kind === 'sa') return { text: new ort.Tensor('string', /** @type {string[]} */ (rows), [rows.length]) };
  const values = new Float32Array(rows.length * FEATURES);
  rows.forEach((row, at) => values.set(/** @type {{ x: Float32Array }} */ (row).x, at * FEATURES));
  return { x: new ort.Tensor('float32', values, [rows.length, FEATURES]) };
}

/** The number that a row is about: the probability of the class 1 of SA, the attendees of AC. @param {Record<string, any>} answer of Brezel */
export function numberOf(answer) {
  const value = answer.probabilities?.[1] ?? answer.y;
  return Number(Array.isArray(value) ? value[0] : value);
}

/** The same of a session's outputs, a number a row. @param {Record<string, any>} outputs @returns {number[]} */
export function numbersOfOutputs({ probabilities, probability, y }) {
  const numbers = Array.from(/** @type {Float32Array} */ ((probabilities ?? probability ?? y).data), Number);
  return probabilities === undefined ? numbers : numbers.filter((_, at) => at % 2 === 1);
}
