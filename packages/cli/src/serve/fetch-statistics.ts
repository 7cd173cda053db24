import type { ServerStatistics } from '@brezel/http';
import { cliError } from '../errors.js';

/** The time in milliseconds after which a request to the server fails. */
const TIMEOUT_MS = 10_000;

/**
 * Requests the statistics of a server: its versions, aliases, and counts and times of requests.
 *
 * @param address the address that `brezel serve` prints, with the path prefix of the routes if the
 * server has one
 * @throws ERR_CLI_USAGE for an invalid address; ERR_CLI_SERVER_ANSWER
 */
export async function fetchStatistics(address: string, token: string | undefined): Promise<ServerStatistics> {
  const url = statisticsUrl(address);
  const headers = new Headers(token === undefined ? [] : [['authorization', `Bearer ${token}`]]);
  const response = await fetch(url, { headers, signal: AbortSignal.timeout(TIMEOUT_MS) }).catch((cause: Error) => {
    throw cliError('ERR_CLI_SERVER_ANSWER', { received: reasonOf(cause), at: url, cause });
  });
  if (response.status !== 200)
    throw cliError('ERR_CLI_SERVER_ANSWER', { received: `status ${response.status}`, at: url });
  const statistics = (await response.json().catch(() => undefined)) as Partial<ServerStatistics> | undefined;
  const isComplete = statistics?.requests !== undefined && Array.isArray(statistics.versions);
  if (isComplete) return statistics as ServerStatistics;
  throw cliError('ERR_CLI_SERVER_ANSWER', { received: 'another document', at: url });
}

function statisticsUrl(address: string): string {
  const base = URL.canParse(address) ? new URL(address) : undefined;
  if (base?.protocol !== 'http:' && base?.protocol !== 'https:')
    throw cliError('ERR_CLI_USAGE', { expected: 'http://HOST:PORT', received: address });
  return `${base.origin}${base.pathname.replace(/\/$/, '')}/statistics`;
}

/**
 * Returns the reason why a `fetch` failed. If the error has a cause, this is the message of the
 * cause, because the message of the error is only "fetch failed".
 */
const reasonOf = ({ message, cause }: Error) => (cause instanceof Error ? cause.message || `${cause}` : message);
