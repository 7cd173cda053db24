import type { Child } from './child.js';
import { externalError } from './errors.js';

/** Where a replica listens. */
export interface Address {
  /** The name of the replica in errors and statistics. It contains no credentials. */
  readonly label: string;
  readonly origin: string;
  /** The path before `/v2`, without a slash at its end. */
  readonly path: string;
  /** The Unix socket of the replica, instead of the host of `origin`. */
  readonly socketPath?: string;
  /** The process that runs the replica, if this predictor starts it. */
  readonly child?: Child;
}

/**
 * Returns the address of a replica from its URL, and checks the URL. Errors never contain the user
 * and the password of the URL.
 * @throws ERR_EXTERNAL_OPTION
 */
export function addressOf(url: unknown, at: string): Address {
  const fail = (expected: string, received: string, hint?: string) =>
    externalError('ERR_EXTERNAL_OPTION', { expected, received, at, ...(hint !== undefined && { hint }) });
  if (typeof url !== 'string' && !(url instanceof URL)) throw fail('a URL', typeof url);
  let parsed: URL;
  try {
    parsed = new URL(url);
  } catch {
    throw fail('a URL such as http://models:8080', 'a text that is not a URL');
  }
  const { protocol, username, password, search, hash, origin, pathname } = parsed;
  if (protocol !== 'http:' && protocol !== 'https:') throw fail('http or https', protocol);
  if (username !== '' || password !== '')
    throw fail('a URL without user and password', 'a URL with credentials', 'pass the option token instead');
  if (search !== '' || hash !== '') throw fail('a URL without ? and #', `${origin}${pathname}`);
  const path = pathname.replace(/\/+$/, '');
  return { label: `${origin}${path}`, origin, path };
}
