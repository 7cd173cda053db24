import { createHmac, timingSafeEqual } from 'node:crypto';
import type { FastifyRequest } from 'fastify';

/** A session lasts this many seconds; then the user must sign in again. */
const SESSION_SECONDS = 12 * 60 * 60;

/**
 * Creates and checks the sessions of users who sign in on the page. A session is a signed cookie
 * that contains its expiry. No process stores sessions, and every process with the same token
 * accepts the cookie.
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
   * Returns whether a request has a valid session. A page of another site can make a browser send
   * the cookie. A request with a method other than GET must therefore have the header Origin, which
   * `checkOrigin` has already compared with Host.
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

/**
 * Returns the name of the cookie, which contains the port of the server. Browsers send the cookies
 * of a host to all its ports, so servers on other ports need other names.
 */
const nameOf = ({ socket }: Pick<FastifyRequest, 'socket'>) => `brezel_session_${socket.localPort ?? 0}`;
