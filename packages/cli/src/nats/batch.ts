import type { BrezelError } from '@brezel/core';
import type { Batches, FleetDescription } from '@brezel/nats';
import type { Row } from '@brezel/runtime';
import { openText } from '../files.js';
import { progressBar } from '../progress.js';
import { fieldsOf, withLine } from '../rows/answer-rows.js';
import { rowGroups, validRows } from '../rows/row-groups.js';
import { encodeAnswer } from '../rows/rows.js';
import { streams } from '../streams.js';

/** The flags of `brezel batch submit`. */
export interface SubmitFlags {
  readonly model: string;
  readonly id?: string;
  readonly output: string;
  readonly csv?: true;
  readonly wait: boolean;
  readonly keep?: true;
}

/**
 * Submits the rows of a file as a batch, and writes its answers while they arrive. After an
 * invalid row, a batch without an id is removed.
 *
 * @throws ERR_CLI_ROW for an invalid row; the errors of `Batches.submit` and `Batches.answers`
 */
export async function submitFile(batches: Batches, file: string, flags: SubmitFlags): Promise<void> {
  const { id = crypto.randomUUID(), model, wait } = flags;
  const { inputs, outputs, version } = await batches.describe(model);
  const label = file === '-' ? 'standard input' : file;
  const lines = new LineNumbers();
  const rows = async function* (): AsyncGenerator<Row> {
    for await (const group of rowGroups(file, label, inputs, flags)) {
      const { rows: valid, error } = validRows(group);
      for (const { line } of valid) lines.add(line);
      yield* fieldsOf(valid);
      if (error !== undefined) throw error;
    }
  };
  // Without --id, the user needs the id to continue.
  streams().stderr.write(`batch ${id}: ${version}\n`);
  try {
    const submitted = await batches.submit(model, rows(), { id });
    streams().stderr.write(`batch ${id}: ${submitted.rows} rows in ${submitted.chunks} chunks\n`);
    if (wait) await collectAnswers(batches, id, outputs, flags);
  } catch (error) {
    const { code, details } = error as Partial<BrezelError>;
    const isInvalid = code === 'ERR_CLI_ROW' || code === 'ERR_RUNTIME_INPUT';
    if (isInvalid && flags.id === undefined) await batches.remove(id).catch(() => {});
    if (details?.row === undefined) throw error;
    throw withLine(error, { line: lines.of(details.row), fields: {} });
  }
}

/** The line of each row. Remembers only the rows after which lines were skipped. */
class LineNumbers {
  readonly #skips: { readonly row: number; readonly skipped: number }[] = [];
  #rows = 0;

  add(line: number): void {
    const skipped = line - this.#rows;
    if (skipped !== (this.#skips.at(-1)?.skipped ?? Number.NaN)) this.#skips.push({ row: this.#rows, skipped });
    this.#rows++;
  }

  of(row: number): number {
    return row + (this.#skips.findLast((skip) => skip.row <= row)?.skipped ?? 1);
  }
}

/**
 * Writes the answers of a batch in order, and then removes the batch. After an error, an existing
 * output file is unchanged, and the batch stays.
 *
 * @throws the errors of `Batches.answers`
 */
export async function collectAnswers(
  batches: Batches,
  id: string,
  outputs: FleetDescription['outputs'],
  { output: path, keep }: { readonly output: string; readonly keep?: true },
): Promise<void> {
  const output = await openText(path);
  const { chunks = 0 } = await batches.status(id);
  using bar = progressBar(id);
  let done = 0;
  try {
    for await (const answers of batches.answers(id)) {
      await output.write(answers.map((answer) => `${encodeAnswer(outputs, answer)}\n`).join(''));
      bar.show(++done, Math.max(done, chunks), 'answer');
    }
  } catch (error) {
    await output.abort();
    throw error;
  }
  await output.end();
  if (!keep) await batches.remove(id);
}
