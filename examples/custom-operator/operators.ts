import { defineOperator } from 'brezel';

// Put custom operators into a separate module, and import it wherever plans with them are compiled,
// opened or run.

/**
 * Measures how loud a text is: the share of its letters that are capitals, and the number of
 * exclamation marks. The attribute `marks` selects other characters to count.
 */
export const loudness = defineOperator({
  name: 'examples/loudness',
  inputs: ['text'],
  output: 'float32[2]',
  attributes: { marks: '!' },
  run: (text, { attributes }) => {
    const letters = text.match(/\p{L}/gu)?.length ?? 0;
    const capitals = text.match(/\p{Lu}/gu)?.length ?? 0;
    const marks = [...text].filter((character) => attributes.marks.includes(character)).length;
    return [letters === 0 ? 0 : capitals / letters, marks];
  },
});

/** Returns the days between two dates; rejects a row with an invalid date. */
export const daysBetween = defineOperator({
  name: 'examples/days-between',
  inputs: ['text', 'text'],
  output: 'float32',
  run: (from, to, { refuse }) => {
    const days = (Date.parse(to) - Date.parse(from)) / 86_400_000;
    return Number.isNaN(days) ? refuse(`the dates "${from}" and "${to}"`, 'send dates as 2024-02-29') : days;
  },
});
