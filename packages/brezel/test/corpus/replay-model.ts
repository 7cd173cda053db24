import type { Answer, RegisteredPlan, Runtime } from 'brezel';
import { expect } from 'vitest';
import { difference } from '../conformance/engines.js';
import { type CorpusModel, compareRow } from './corpus.js';

/**
 * Returns the answers to the rows of a model from every engine, from single predictions, and from
 * batches of one row.
 */
export async function answersOf(
  runtime: Runtime,
  model: CorpusModel,
  plan: RegisteredPlan,
): Promise<Readonly<Record<string, readonly Answer[]>>> {
  return {
    reference: await runtime.predictBatch(plan, model.inputs, { engine: 'reference' }),
    batch: await runtime.predictBatch(plan, model.inputs, { engine: 'batch' }),
    'request-response': await runtime.predictBatch(plan, model.inputs, { engine: 'request-response' }),
    single: model.inputs.map((row) => runtime.predictSync(plan, row)),
    'batches of one': (await Promise.all(model.inputs.map((row) => runtime.predictBatch(plan, [row])))).flat(),
  };
}

/**
 * Compares the reference with the expected answers, and every engine with the bits of the reference.
 *
 * @throws for the first engine and row that differ
 */
export function compareAnswers(model: CorpusModel, answers: Awaited<ReturnType<typeof answersOf>>): void {
  for (const [engine, got] of Object.entries(answers)) {
    expect(got).toHaveLength(model.expected.length);
    got.forEach((answer, row) => {
      const failure =
        engine === 'reference' ? compareExpected(model, row, answer) : difference(answer, answers.reference![row]);
      if (failure !== undefined) throw new Error(`${engine}, row ${row}: ${failure}`);
    });
  }
}

/**
 * Compares an answer with the expected answer. Returns a text about a difference, or undefined if
 * the answers agree. Brezel gives a single row the same answer as in a batch. If onnxruntime cannot
 * run the batch, its answers to single rows are expected.
 */
function compareExpected(model: CorpusModel, row: number, answer: Answer): string | undefined {
  const want = model.meta.ort.batch_ok ? model.expected[row] : (model.single ?? model.expected)[row];
  return compareRow(model, row, answer, want);
}
