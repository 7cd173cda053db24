import { createHmac, timingSafeEqual } from 'node:crypto';
import type { FastifyRequest } from 'fastify';

/** A person must sign in again after this many seconds. */
const SESSION_SECONDS = 12 * 60 * 60;

/**
 * The sessions of people who signed in on the page. A session is a cookie with its expiry and a
 * signature, so that every process with the same token accepts it and no process stores it.
 */
export class Sessions {
  readonly #key: Buffer;

  constructor(token: string) {
    this.#key = createHmac('sha256', token).update('brezel session').digest();
  }

  /** Returns the `Set-Cookie` header of a new session. Scripts cannot read the cookie. */
  cookie(request: FastifyRequest, path: string): string {
    const expiry = `${Math.floor(Date.now() / 1000) + SESSION_SECONDS}`;
    const value = `${expiry}.${this.#signature(expiry).toString('base64url')}`;
    const secure = request.protocol === 'https' ? '; Secure' : '';
    return `${nameOf(request)}=${value}; Path=${path}; Max-Age=${SESSION_SECONDS}; HttpOnly; SameSite=Strict${secure}`;
  }

  /**
   * Returns whether a request has a valid session. A browser adds cookies to every request, so a
   * request that can change something must also have the header Origin, which `checkOrigin` has
   * compared with Host.
   */
  admits({ method, headers, socket }: FastifyRequest): boolean {
    if (method !== 'GET' && headers.origin === undefined) return false;
    const pattern = new RegExp(`(?:^|; )${nameOf({ socket })}=(\\d{1,12})\\.([A-Za-z0-9_-]{43})(?:;|$)`);
    const [, expiry, signature] = pattern.exec(headers.cookie ?? '') ?? [];
    if (expiry === undefined || Number(expiry) * 1000 < Date.now()) return false;
    return timingSafeEqual(Buffer.from(signature!, 'base64url'), this.#signature(expiry));
  }

  #signature(expiry: string): Buffer {
    return createHmac('sha256', this.#key).update(expiry).digest();
  }
}

/** Returns the name of the cookie. Browsers share cookies between the ports of a host. */
const nameOf = ({ socket }: Pick<FastifyRequest, 'socket'>) => `brezel_session_${socket.localPort ?? 0}`;
