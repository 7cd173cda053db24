import { textToText, type UnitOrigins } from '../../text-contributions.js';
import { several } from './reference.js';

/**
 * Maps each UTF-16 unit of the result to its origin in the text. The origin of an inserted space is
 * the white space that it replaces. The origin of any other unit is the unit that was copied.
 */
export const contributions = textToText((text): UnitOrigins => {
  const [starts, ends]: [number[], number[]] = [[], []];
  const copy = (from: number, to: number) => {
    for (let unit = from; unit < to; unit++) {
      starts.push(unit);
      ends.push(unit + 1);
    }
  };
  let from = 0;
  for (const { 0: run, index } of text.matchAll(several)) {
    copy(from, index);
    from = index + run.length;
    starts.push(index);
    ends.push(from);
  }
  copy(from, text.length);
  return { starts, ends };
});
