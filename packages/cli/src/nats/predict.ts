import type { Answer } from '@brezel/runtime';
import type { Command } from 'commander';
import { cliError } from '../errors.js';
import { type AnswerFlags, answerFile } from '../rows/answer-file.js';
import { fieldsOf } from '../rows/answer-rows.js';
import { encodeAnswer } from '../rows/rows.js';
import { loadNats } from '../serve/load-server.js';

/** A model of a cluster: the addresses of the NATS servers, and the reference of the model. */
export interface NatsModel {
  readonly servers: readonly string[];
  readonly reference: string;
}

/**
 * Parses `nats://HOST:PORT/REFERENCE`, with commas between several addresses. Returns undefined for
 * another text, such as a path.
 *
 * @throws ERR_CLI_USAGE if the reference is missing.
 */
export function natsModel(argument: string): NatsModel | undefined {
  const [, scheme, addresses, reference] = /^(nats|tls):\/\/([^/]*)\/?(.*)$/s.exec(argument) ?? [];
  if (scheme === undefined) return undefined;
  const servers = addresses!.split(',').map((address) => `${scheme}://${address}`);
  if (reference !== '') return { servers, reference: reference! };
  throw cliError('ERR_CLI_USAGE', {
    expected: `the name of a model: ${scheme}://HOST:PORT/NAME`,
    received: 'an address without a name',
  });
}

/** The flags that a model of a cluster does not have, because its servers decide. */
const SERVER_DECIDES = [
  'engine',
  'contributions',
  'missing',
  'extraFields',
  'blackBox',
  'allowNonFinite',
  'repairNgrams',
  'precision',
  'limit',
  'shape',
] as const;

/** @throws ERR_CLI_USAGE if the command line has a flag that only applies to a local model. */
export function checkFlagsOverNats(command: Command): void {
  const wrong = SERVER_DECIDES.find((name) => command.getOptionValueSource(name) === 'cli');
  if (wrong === undefined) return;
  const flag = `--${wrong.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
  throw cliError('ERR_CLI_USAGE', {
    received: `${flag} with a model on NATS`,
    hint: `remove ${flag}: the servers of the model decide how to read rows and how to run them`,
  });
}

/**
 * Answers the rows of a file with a model of a cluster. One version answers all rows.
 *
 * @throws ERR_CLI_NATS if @brezel/nats is not installed; the errors of `connectFleet` and of the
 * servers; the errors of `answerFile`.
 */
export async function predictOverNats({ servers, reference }: NatsModel, flags: AnswerFlags): Promise<void> {
  const { connectFleet } = await loadNats();
  await using fleet = await connectFleet({ servers });
  const { version, inputs, outputs } = await fleet.describe(reference);
  await answerFile<Answer>(
    {
      inputs,
      answer: (rows) => fleet.predictBatch(version, fieldsOf(rows)),
      encode: (answer) => encodeAnswer(outputs, answer),
    },
    flags,
  );
}
