import { codePointOrigins, textToText } from '../../text-contributions.js';
import { type NormalizeTextAttributes, normalizeCodePoint } from './reference.js';

export const contributions = textToText((text, result, { attributes }) => {
  const options = attributes as unknown as NormalizeTextAttributes;
  return codePointOrigins(text, result, (codePoint) =>
    String.fromCodePoint(...normalizeCodePoint(codePoint.codePointAt(0)!, options)),
  );
});
