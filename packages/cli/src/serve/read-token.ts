import { cliError } from '../errors.js';
import { readBytes } from '../files.js';

/**
 * Reads the token in a file, without white space around it.
 *
 * @throws ERR_CLI_FILE
 */
export async function readToken(file: string): Promise<string> {
  const token = (await readBytes(file)).toString().trim();
  if (token !== '') return token;
  throw cliError('ERR_CLI_FILE', { expected: 'a token', received: 'an empty file', at: file });
}
