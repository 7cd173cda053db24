import { unicodeSpace } from '@brezel/text';

/** The pattern that makes the whole text one token. An empty text has no token. */
export const WHOLE_TEXT = '.+';

/** Splits like Python's `str.split()`, because RE2's `\S` covers ASCII white space only. */
export const NON_SPACE = `[^${unicodeSpace.map((bound, at) => `${at % 2 === 0 ? '' : '-'}\\x{${bound.toString(16)}}`).join('')}]+`;
