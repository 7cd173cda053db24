import { BrezelError, createFlour, createRuntime, importPmml } from 'brezel';
import { type Answer, Evaluator, RejectedRow } from './evaluator.js';
import type { Generated } from './generate.js';

const TOLERANCE = 1e-12;
/** Simpson's rule of the evaluator has this error. */
const isNear = (a: unknown, b: number): boolean =>
  Object.is(a, b) || Math.abs((a as number) - b) <= TOLERANCE * (1 + Math.abs(b)) || a === b;

/** What a comparison of a model with the evaluator saw. */
export interface Compared {
  readonly rows: number;
  readonly rejected: number;
  readonly missing: number;
}

/**
 * Runs a model in the addon and without it, row by row and as a batch, and compares the answers
 * with those of the evaluator. Throws for the first difference.
 */
export async function compareModel({ text, rows, isClassification }: Generated): Promise<Compared> {
  const evaluator = new Evaluator(text);
  const expected = rows.map((row) => evaluated(evaluator, row));
  const counts = { rows: 0, rejected: 0, missing: 0 };
  for (const options of [{}, { native: false }] as const) {
    using flour = await createFlour(options);
    await using runtime = createRuntime({ store: flour.store });
    const plan = runtime.register(importPmml(text, flour).program.plan());
    const usual: Record<string, unknown>[] = [];
    const answers: unknown[] = [];
    rows.forEach((row, index) => {
      const want = expected[index];
      counts.rows++;
      if (want === undefined) {
        counts.rejected++;
        if (codeOf(() => runtime.predictSync(plan, row)) !== 'ERR_RUNTIME_INPUT')
          throw new Error(`row ${index} ${shown(row)} should be rejected in\n${text}`);
        return;
      }
      const answer = runtime.predictSync(plan, row) as Record<string, unknown>;
      if (want.prediction === undefined) counts.missing++;
      if (!isSame(answer, want, isClassification))
        throw new Error(`row ${index} ${shown(row)}: ${shown(answer)} instead of ${shown(wanted(want))} in\n${text}`);
      usual.push(row);
      answers.push(answer);
    });
    const batch = await runtime.predictBatch(plan, usual);
    if (shown(batch) !== shown(answers))
      throw new Error(`a batch differs: ${shown(batch)}, ${shown(answers)} in\n${text}`);
  }
  return counts;
}

function evaluated(evaluator: Evaluator, row: Record<string, unknown>): Answer | undefined {
  try {
    return evaluator.evaluate(row);
  } catch (error) {
    if (error instanceof RejectedRow) return undefined;
    throw error;
  }
}

function codeOf(run: () => unknown): string | undefined {
  try {
    run();
    return undefined;
  } catch (error) {
    if (error instanceof BrezelError) return error.code;
    throw error;
  }
}

function isSame(answer: Record<string, unknown>, want: Answer, isClassification: boolean): boolean {
  if (!isClassification) {
    const { prediction } = want;
    if ('reason1' in answer && answer.reason1 !== (want.reasons?.[0] ?? '')) return false;
    return isNear(answer.prediction, prediction === undefined ? Number.NaN : Number(prediction));
  }
  const probabilities = answer.probabilities as readonly number[];
  if (want.prediction === undefined) return answer.label === '' && probabilities.every(Number.isNaN);
  if (want.probabilities !== undefined) {
    const names = ['p', 'q', 'r'];
    if (!names.every((name, index) => isNear(probabilities[index], want.probabilities!.get(name) ?? 0))) return false;
    // Rounding may decide between classes that are equal but for the last bits.
    const best = Math.max(...probabilities);
    if (answer.label !== want.prediction && isNear(probabilities[names.indexOf(`${want.prediction}`)], best))
      return true;
  }
  return answer.label === want.prediction;
}

const shown = (value: unknown): string =>
  JSON.stringify(value, (_, one) => (typeof one === 'number' && !Number.isFinite(one) ? `${one}` : one));

const wanted = ({ prediction, probabilities, reasons }: Answer) => ({
  prediction: prediction ?? null,
  probabilities: probabilities && Object.fromEntries(probabilities),
  reasons,
});
