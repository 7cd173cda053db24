import { textToText, type UnitOrigins } from '../../text-contributions.js';

/** The marks have no place in the text: they stand at its start and its end. */
export const contributions = textToText((text, result, { attributes }): UnitOrigins => {
  const marked = String(attributes.start).length;
  const at = (unit: number) => Math.min(Math.max(unit - marked, 0), text.length);
  const units = Array.from({ length: result.length }, (_, unit) => unit);
  return { starts: units.map(at), ends: units.map((unit) => at(unit + 1)) };
});
