import { unicodeSpace } from '@brezel/text';

/** The whole text as one token; an empty text has none. */
export const WHOLE_TEXT = '.+';

/** What Python's `str.split()` gives: RE2's `\S` knows ASCII white space only. */
export const NON_SPACE = `[^${unicodeSpace.map((bound, at) => `${at % 2 === 0 ? '' : '-'}\\x{${bound.toString(16)}}`).join('')}]+`;
