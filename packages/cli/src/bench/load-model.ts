import { BrezelError } from '@brezel/core';
import type { FlourContext } from '@brezel/flour';
import type { RegisteredPlan, Row, Runtime } from '@brezel/runtime';
import { sampleRows } from 'brezel/internal';
import { readBytes } from '../files.js';
import { attempt } from '../models.js';
import { answerer, answerRows } from '../rows/answer-rows.js';
import { decodeRows, type NumberedRow } from '../rows/rows.js';
import { compiledPlan } from '../sources.js';
import { residentBytes } from './resident.js';
import type { ModelTrial, TrialRequest } from './trial-report.js';

/** The number of generated rows. It is small enough to compare all answers with onnxruntime. */
const GENERATED_ROWS = 200;
/** The number of rows in a measured batch. If a model has fewer rows, the batch repeats them. */
const BATCH_ROWS = 256;

/** A model that a measuring process has loaded, with its rows. */
export interface Loaded {
  readonly facts: Omit<ModelTrial, 'single' | 'batch' | 'rival'>;
  readonly plan: RegisteredPlan;
  readonly rows: readonly Row[];
  readonly batch: readonly Row[];
}

/**
 * Loads a model and its rows, and answers the rows once.
 *
 * @param request.rows a file. If undefined, rows are generated from the schema.
 */
export async function loadModel(
  model: string,
  { rows: rowsFile, choices }: Pick<TrialRequest, 'rows' | 'choices'>,
  flour: FlourContext,
  runtime: Runtime,
): Promise<Loaded> {
  const before = await residentBytes();
  const { parameters, plans } = runtime.stats();
  // several files may hold models of one name, and one file may be listed twice
  const name = `${model} (${plans.length + 1})`;
  const start = performance.now();
  const compiled = await compiledPlan(model, flour, choices);
  const plan = await attempt(model, () => runtime.register(compiled, { name }));
  const loadMicros = (performance.now() - start) * 1000;
  const parameterBytes = compiled.parameters.reduce((sum, id) => sum + flour.store.info(id).bytes, 0);
  const numbered = await attempt(rowsFile ?? model, async () => {
    const rows =
      rowsFile === undefined
        ? sampleRows(compiled, flour.store, GENERATED_ROWS).slice(0, GENERATED_ROWS).map(numberedRow)
        : decodeRows(await readBytes(rowsFile), plan.inputs);
    if (rows.length === 0)
      throw new BrezelError('ERR_CLI_ROW', { message: 'the file has no rows', hint: 'add at least one row' });
    await answerRows(rows, answerer(runtime, plan, 'batch')).catch(
      rowsFile === undefined ? rejectGenerated : undefined,
    );
    return rows;
  });
  compiled.release();
  const after = await residentBytes();
  const rows = numbered.map(({ fields }) => fields as Row);
  return {
    plan,
    rows,
    batch: Array.from({ length: BATCH_ROWS }, (_, at) => rows[at % rows.length]!),
    facts: {
      model,
      engine: plan.engine,
      rows: rows.length,
      rowsPerBatch: BATCH_ROWS,
      loadMicros,
      residentBytes: before === undefined || after === undefined ? undefined : after - before,
      parameterBytes,
      ownBytes: runtime.stats().parameters.bytes - parameters.bytes,
    },
  };
}

/**
 * Throws the error of a generated row with the hint to pass rows with `--rows`. Some pipelines
 * reject generated texts or numbers.
 */
function rejectGenerated(fault: unknown): never {
  if (!(fault instanceof BrezelError) || fault.code !== 'ERR_CLI_ROW') throw fault;
  const hint = 'the model rejects the generated rows: pass rows with --rows';
  throw new BrezelError(fault.code, { message: fault.message, hint }, { cause: fault });
}

const numberedRow = (fields: Readonly<Record<string, unknown>>, at: number): NumberedRow => ({ line: at + 1, fields });
