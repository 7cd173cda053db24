import { textToText, type UnitOrigins } from '../../text-contributions.js';

/**
 * Maps the two added characters to empty passages at the start and at the end of the text, because
 * the text does not contain these characters.
 */
export const contributions = textToText((text, result, { attributes }): UnitOrigins => {
  const marked = String(attributes.start).length;
  const at = (unit: number) => Math.min(Math.max(unit - marked, 0), text.length);
  const units = Array.from({ length: result.length }, (_, unit) => unit);
  return { starts: units.map(at), ends: units.map((unit) => at(unit + 1)) };
});
