import { selectionError } from '../errors.js';
import type { LogRecord, PredictionRecord } from '../log.js';

/** A logged prediction with its feedback. */
export interface LoggedEvent {
  /** For each available candidate, the logged probability with which it was asked. */
  readonly probabilities: Readonly<Record<string, number>>;
  /** The losses of the candidates that were asked. */
  readonly losses: Readonly<Record<string, number>>;
  /** The loss of the answer that the caller received. */
  readonly loss: number;
  readonly votes: Readonly<Record<string, string | number | boolean>> | undefined;
  readonly context: string | undefined;
  readonly features: readonly number[] | undefined;
}

/**
 * Reads the log of a selection. Predictions without feedback are omitted.
 *
 * @param selection the name of the selection whose lines are read. If undefined, all lines must be
 * about the same selection.
 * @throws ERR_SELECTION_LOG with the number of the line.
 */
export async function eventsOf(
  lines: Iterable<string> | AsyncIterable<string>,
  selection?: string,
): Promise<LoggedEvent[]> {
  let name = selection;
  const open = new Map<string, PredictionRecord>();
  const events: LoggedEvent[] = [];
  let number = 0;
  for await (const line of lines) {
    number++;
    if (line.trim() === '') continue;
    const record = recordOf(line, `line ${number}`);
    if (selection !== undefined && record.selection !== selection) continue;
    name ??= record.selection;
    if (record.selection !== name) {
      const [expected, hint] = [`lines of "${name}"`, 'choose one with the option selection (--selection)'];
      throw selectionError('ERR_SELECTION_LOG', {
        expected,
        received: `"${record.selection}"`,
        at: `line ${number}`,
        hint,
      });
    }
    if (record.kind === 'prediction') open.set(record.query, record);
    else {
      const prediction = open.get(record.query);
      // The line of the prediction is missing if the log starts with a later file, after a rotation
      // of log files.
      if (prediction === undefined) continue;
      open.delete(record.query);
      const { probabilities, votes, context, features } = prediction;
      checkLosses(record.losses, probabilities, `line ${number}`);
      events.push({ probabilities, losses: record.losses, loss: record.loss, votes, context, features });
    }
  }
  return events;
}

/**
 * Parses a line of the log.
 * @throws ERR_SELECTION_LOG
 */
function recordOf(line: string, at: string): LogRecord {
  let record: Partial<LogRecord> | null;
  try {
    record = JSON.parse(line);
  } catch (cause) {
    throw selectionError('ERR_SELECTION_LOG', { expected: 'a line of JSON', received: short(line), at, cause });
  }
  const isQuery = typeof record?.query === 'string';
  if (isQuery && record?.kind === 'prediction') {
    const { votes = {} } = record;
    if (isNumbers(record.probabilities) && typeof votes === 'object' && votes !== null) return record as LogRecord;
    throw selectionError('ERR_SELECTION_LOG', {
      expected: 'a prediction with probabilities',
      received: short(line),
      at,
    });
  }
  if (isQuery && record?.kind === 'feedback' && isNumbers(record.losses) && Number.isFinite(record.loss))
    return record as LogRecord;
  throw selectionError('ERR_SELECTION_LOG', { expected: 'a prediction or feedback', received: short(line), at });
}

/** Throws unless the record has a probability for each candidate with a loss. */
function checkLosses(losses: LoggedEvent['losses'], probabilities: LoggedEvent['probabilities'], at: string): void {
  for (const name of Object.keys(losses)) {
    const probability = Object.hasOwn(probabilities, name) ? probabilities[name]! : 0;
    if (probability > 0 && probability <= 1 + 1e-9) continue;
    const expected = `a probability of ${JSON.stringify(name)} above 0 and at most 1`;
    throw selectionError('ERR_SELECTION_LOG', { expected, received: `${probability}`, at });
  }
}

const isNumbers = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.values(value).every((one) => Number.isFinite(one));

const short = (line: string): string => line.slice(0, 100);
