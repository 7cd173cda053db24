import { cliError } from '../errors.js';

type Server = typeof import('@brezel/http');

/**
 * Loads the package of the server. `brezel` does not depend on it, so that a library does not
 * install a web framework.
 *
 * @throws ERR_CLI_SERVER if it is not installed.
 */
export async function loadServer(): Promise<Server> {
  try {
    return await import('@brezel/http');
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    const isMissing = code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND';
    // `@brezel/http` may be installed without a package that it needs.
    if (isMissing && /'@brezel\/http'/.test(message)) throw cliError('ERR_CLI_SERVER', { cause });
    throw cause;
  }
}
