import { textToText, type UnitOrigins } from '../../text-contributions.js';

/**
 * Maps the marks to empty parts at the start and at the end of the text, because the text does not
 * contain them.
 */
export const contributions = textToText((text, result, { attributes }): UnitOrigins => {
  const marked = String(attributes.start).length;
  const at = (unit: number) => Math.min(Math.max(unit - marked, 0), text.length);
  const units = Array.from({ length: result.length }, (_, unit) => unit);
  return { starts: units.map(at), ends: units.map((unit) => at(unit + 1)) };
});
