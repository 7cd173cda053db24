import { textToText, type UnitOrigins } from '../../text-contributions.js';

/**
 * Maps the characters of the result to characters of the text. The two added characters map to
 * empty passages at the start and the end, because the text does not contain them.
 */
export const contributions = textToText((text, result, { attributes }): UnitOrigins => {
  const marked = String(attributes.start).length;
  const at = (unit: number) => Math.min(Math.max(unit - marked, 0), text.length);
  const units = Array.from({ length: result.length }, (_, unit) => unit);
  return { starts: units.map(at), ends: units.map((unit) => at(unit + 1)) };
});
