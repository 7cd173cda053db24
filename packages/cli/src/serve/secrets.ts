import { cliError } from '../errors.js';
import { readBytes } from '../files.js';
import { loadServer } from './load-server.js';
import type { OpenGroup } from './options.js';
import { readToken } from './read-token.js';

/** The contents of the files with the token and the certificate of a server. */
export interface ServerSecrets {
  readonly token?: string;
  readonly tls?: { readonly cert: Buffer; readonly key: Buffer };
}

/** The flags that name these files. */
export interface SecretFlags {
  readonly tokenFile?: string;
  readonly open?: readonly OpenGroup[];
  readonly tlsCert?: string;
  readonly tlsKey?: string;
}

/**
 * Reads and checks the files of the token and of TLS. The primary of a server with several
 * processes reads the files once and sends the contents to its workers. All workers then have the
 * same token.
 *
 * @throws ERR_CLI_FILE, ERR_CLI_USAGE, ERR_HTTP_TLS
 */
export async function readSecrets(flags: SecretFlags): Promise<ServerSecrets> {
  const [tls, token] = [await tlsOf(flags), await tokenOf(flags)];
  return { ...(token !== undefined && { token }), ...(tls !== undefined && { tls }) };
}

async function tokenOf({ tokenFile, open }: SecretFlags): Promise<string | undefined> {
  if (tokenFile === undefined && open !== undefined)
    throw cliError('ERR_CLI_USAGE', { received: '--open without --token-file', hint: 'all routes are open already' });
  if (tokenFile === undefined) return undefined;
  return readToken(tokenFile);
}

async function tlsOf({ tlsCert, tlsKey }: SecretFlags): Promise<ServerSecrets['tls']> {
  if (tlsCert === undefined && tlsKey === undefined) return undefined;
  if (tlsCert !== undefined && tlsKey !== undefined) {
    const tls = { cert: await readBytes(tlsCert), key: await readBytes(tlsKey) };
    (await loadServer()).checkTls(tls); // before the models are loaded, which can take minutes
    return tls;
  }
  const received = tlsCert === undefined ? '--tls-key without --tls-cert' : '--tls-cert without --tls-key';
  throw cliError('ERR_CLI_USAGE', { received, hint: 'HTTPS needs a certificate and its private key' });
}
