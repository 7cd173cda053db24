import { cliError } from '../errors.js';
import { readBytes } from '../files.js';

/**
 * Reads the token in a file, without white space around it. A header can contain only ASCII.
 *
 * @throws ERR_CLI_FILE
 */
export async function readToken(file: string): Promise<string> {
  const token = (await readBytes(file)).toString().trim();
  if (/^[ -~]+$/.test(token)) return token;
  const received = token === '' ? 'an empty file' : 'other characters';
  throw cliError('ERR_CLI_FILE', { expected: 'a token of printable ASCII characters', received, at: file });
}
