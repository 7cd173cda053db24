import { textToText, type UnitOrigins } from '../../text-contributions.js';
import { several } from './reference.js';

/**
 * Maps each space of the result to its run of white space in the text, and every other unit to the
 * unit that was copied.
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
