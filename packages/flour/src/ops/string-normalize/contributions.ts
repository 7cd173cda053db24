import type { CaseAction } from '@brezel/tensors';
import { foldText } from '@brezel/text';
import { codePointOrigins, textToText } from '../../text-contributions.js';

export const contributions = textToText((text, result, { attributes }) =>
  codePointOrigins(text, result, (codePoint) => foldText(codePoint, attributes.action as CaseAction)),
);
