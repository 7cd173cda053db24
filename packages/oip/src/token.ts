import { createHash, timingSafeEqual } from 'node:crypto';

/**
 * Returns a function that compares texts with a token. A comparison takes the same time for every
 * text of the same length, so that the time does not reveal the token.
 */
export function tokenCheck(token: string): (text: string) => boolean {
  const expected = digestOf(token);
  return (text) => timingSafeEqual(digestOf(text), expected);
}

/**
 * Returns the digest of a token. All digests have the same length, so that comparing them takes the
 * same time for every token.
 */
const digestOf = (token: string) => createHash('sha256').update(token).digest();

/** Returns the token in the value of an `Authorization` header. */
export const bearerToken = (authorization: string): string => /^Bearer (.*)$/i.exec(authorization)?.[1] ?? '';
