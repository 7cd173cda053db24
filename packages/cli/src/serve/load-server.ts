import { optionalPackage } from '../optional-package.js';

/**
 * Loads the package of the server.
 *
 * @throws ERR_CLI_SERVER if it is not installed.
 */
export const loadServer = (): Promise<typeof import('@brezel/http')> =>
  optionalPackage('@brezel/http', () => import('@brezel/http'), 'ERR_CLI_SERVER');
