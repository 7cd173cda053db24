import { datatypeOf, type OutputPort, type ReadyRoute, valueJson } from '@brezel/oip';
import type { ExplainedAnswer, Row } from 'brezel';
import { answerJson } from './json.js';

/** Answers rows as JSON texts. */
export interface JsonAnswers {
  one(row: Row): Promise<string>;
  many(rows: readonly Row[]): Promise<string[]>;
}

/**
 * Returns how a request answers rows: with `contributions`, each text is an object with the answer
 * and its explanation.
 *
 * @param contributions how many contributions to list; undefined for answers without explanations
 */
export function jsonAnswers({ route, description, options }: ReadyRoute, contributions?: number): JsonAnswers {
  const isFloat = floatOutputs(description.outputs);
  if (contributions === undefined)
    return {
      one: async (row) => answerJson(await route.predict(row, options), isFloat),
      many: async (rows) => (await route.predictBatch(rows, options)).map((answer) => answerJson(answer, isFloat)),
    };
  const explaining = { ...options, contributions: { top: contributions } };
  const json = ({ answer, contributions: why }: ExplainedAnswer) =>
    `{"answer":${answerJson(answer, isFloat)},"contributions":${valueJson(why, true)}}`;
  return {
    one: async (row) => json(await route.predict(row, explaining)),
    many: async (rows) => (await route.predictBatch(rows, explaining)).map(json),
  };
}

/**
 * Returns a function that returns whether an output holds floats. The JSON of a float differs from
 * the JSON of an integer.
 */
function floatOutputs(outputs: readonly OutputPort[]): (name: string) => boolean {
  const floats = new Set(outputs.filter(({ type }) => datatypeOf(type).startsWith('FP')).map(({ name }) => name));
  return (name) => floats.has(name);
}
