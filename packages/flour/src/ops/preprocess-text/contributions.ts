import { lowerText, stripAccents } from '@brezel/text';
import { codePointOrigins, textToText } from '../../text-contributions.js';
import type { PreprocessAttributes } from './reference.js';

export const contributions = textToText((text, result, { attributes }) => {
  const { lowercase, stripAccents: accents } = attributes as unknown as PreprocessAttributes;
  return codePointOrigins(text, result, (codePoint) => {
    const lower = lowercase ? lowerText(codePoint) : codePoint;
    return accents === null ? lower : stripAccents(lower, accents);
  });
});
