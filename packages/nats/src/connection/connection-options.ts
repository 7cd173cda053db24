import { readFile } from 'node:fs/promises';
import { type ErrorDetails, foreignOption, listOption, type OptionTypes, objectOption, textOption } from '@brezel/oip';
import { connect, credsAuthenticator, type NatsConnection, type TlsOptions } from '@nats-io/transport-node';
import { natsError } from '../errors.js';
import { guardSockets } from './socket-guard.js';

/**
 * How to reach the NATS servers: `servers` and credentials, or a `connection`.
 *
 * Without `credentialsFile` and `tokenFile`, the credentials are in the environment variables that
 * the NATS command line also uses: NATS_CREDS (the path of a credentials file), NATS_TOKEN, or
 * NATS_USER and NATS_PASSWORD. An address with credentials is rejected, because logs and process
 * lists show addresses.
 */
export interface ConnectionOptions {
  /** Addresses of NATS servers: `nats://HOST:PORT`, `tls://HOST:PORT` or `HOST:PORT`. */
  readonly servers?: string | readonly string[];
  /** A connection to use instead of a new one. Its owner closes it. */
  readonly connection?: NatsConnection;
  /** The path of a credentials file of NATS: a JWT and a seed. */
  readonly credentialsFile?: string;
  /** The path of a file with a token. White space around the token is ignored. */
  readonly tokenFile?: string;
  /** Options of TLS, as @nats-io/transport-node defines them: `{ caFile, certFile, keyFile }`. */
  readonly tls?: TlsOptions;
}

export const connectionTypes: OptionTypes<ConnectionOptions> = {
  servers: {
    expected: 'an address or a list of addresses',
    accepts: (value) => textOption.accepts(value) || (listOption(textOption).accepts(value) && `${value}` !== ''),
  },
  connection: objectOption('a connection of @nats-io/transport-node', 'publish', 'subscribe', 'status'),
  credentialsFile: textOption,
  tokenFile: textOption,
  tls: foreignOption,
};

/** A connection, and whether this package closes it. */
export interface OpenConnection {
  readonly connection: NatsConnection;
  readonly isOwned: boolean;
}

/** The milliseconds between two attempts to connect again. */
const RECONNECT_MS = 250;

/**
 * Connects to a NATS server. After a lost connection, the client connects again until it is closed.
 *
 * @param name the name of the connection, which the NATS server shows
 * @throws ERR_NATS_OPTION, ERR_NATS_SERVER_URL, ERR_NATS_CREDENTIALS, ERR_NATS_CONNECTION
 */
export async function openConnection(options: ConnectionOptions, name: string): Promise<OpenConnection> {
  const { connection, servers, tls } = options;
  if (connection !== undefined) {
    checkAlone(options);
    void guardSockets(connection).catch(() => {});
    return { connection, isOwned: false };
  }
  if (servers === undefined) throw optionError({ expected: 'servers or connection', received: 'neither' });
  const list = (typeof servers === 'string' ? [servers] : servers).map(checkedAddress);
  const isTls = tls !== undefined || list.some((address) => address.startsWith('tls://'));
  const credentials = await credentialsOf(options);
  try {
    const opened = await connect({
      servers: list,
      name,
      ...credentials,
      ...(isTls && { tls: tls ?? {} }),
      maxReconnectAttempts: -1,
      reconnectTimeWait: RECONNECT_MS,
      ignoreAuthErrorAbort: true,
    });
    void guardSockets(opened).catch(() => {});
    return { connection: opened, isOwned: true };
  } catch (cause) {
    throw natsError('ERR_NATS_CONNECTION', { received: reasonOf(cause), at: list.join(', '), cause });
  }
}

function checkAlone(options: ConnectionOptions): void {
  const others = (['servers', 'credentialsFile', 'tokenFile', 'tls'] as const).filter(
    (name) => options[name] !== undefined,
  );
  if (others.length === 0) return;
  throw optionError({ expected: 'connection alone', received: `connection and ${others.join(', ')}` });
}

const ADDRESS = /^(?:(?:nats|tls):\/\/)?(?:[\w.-]+|\[[\da-f:.%]+\])(?::\d{1,5})?\/?$/i;

/**
 * Returns a valid address. Errors never contain an address with credentials.
 * @throws ERR_NATS_SERVER_URL
 */
function checkedAddress(address: string): string {
  if (address.includes('@')) {
    const hint = 'remove the part before "@", and use credentialsFile, tokenFile, NATS_CREDS, NATS_TOKEN or NATS_USER';
    throw natsError('ERR_NATS_SERVER_URL', {
      expected: 'an address without credentials',
      received: 'an address with "@" (not shown)',
      hint,
    });
  }
  if (ADDRESS.test(address)) return address.replace(/\/$/, '');
  const received = JSON.stringify(address.slice(0, 200));
  throw natsError('ERR_NATS_SERVER_URL', { expected: 'nats://HOST:PORT, tls://HOST:PORT or HOST:PORT', received });
}

async function credentialsOf({ credentialsFile, tokenFile }: ConnectionOptions) {
  if (credentialsFile !== undefined && tokenFile !== undefined)
    throw optionError({ expected: 'credentialsFile or tokenFile', received: 'both' });
  if (tokenFile !== undefined) return { token: (await readSecret(tokenFile)).toString().trim() };
  const { NATS_CREDS, NATS_TOKEN, NATS_USER, NATS_PASSWORD } = process.env;
  const file = credentialsFile ?? NATS_CREDS;
  if (file) return { authenticator: credsAuthenticator(await readSecret(file)) };
  if (NATS_TOKEN) return { token: NATS_TOKEN };
  return NATS_USER ? { user: NATS_USER, pass: NATS_PASSWORD ?? '' } : {};
}

async function readSecret(file: string): Promise<Buffer> {
  let bytes: Buffer;
  try {
    bytes = await readFile(file);
  } catch (cause) {
    throw natsError('ERR_NATS_CREDENTIALS', { received: reasonOf(cause), at: file, cause });
  }
  if (bytes.toString().trim() !== '') return bytes;
  throw natsError('ERR_NATS_CREDENTIALS', { received: 'an empty file', at: file });
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

export const optionError = (details: ErrorDetails) => natsError('ERR_NATS_OPTION', details);
