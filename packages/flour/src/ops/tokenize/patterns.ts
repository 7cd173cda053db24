import { unicodeSpace } from '@brezel/text';

/** The pattern that makes the whole text one token. An empty text has no token. */
export const WHOLE_TEXT = '.+';

/**
 * The pattern of tokens for `str.split()` of Python: any characters that are not Unicode white
 * space. RE2's `\S` does not suffice, because it excludes only ASCII white space.
 */
export const NON_SPACE = `[^${unicodeSpace.map((bound, at) => `${at % 2 === 0 ? '' : '-'}\\x{${bound.toString(16)}}`).join('')}]+`;
