import { classExpression, foldText, unicodeSpace } from '@brezel/text';
import { choiceAttribute, flagAttribute, intAttribute, stringAttribute, stringsAttribute } from '../attributes.js';
import { type TensorCall, tensorOperators } from '../define.js';
import { mapDistinct } from '../distinct.js';
import { tensorInput } from '../inputs.js';
import { allocate, finished, int64 } from '../moving.js';
import { compilePattern } from '../patterns.js';
import { perNode } from '../per-node.js';
import { broadcastShape, broadcastStrides, offsetsOf, shown } from '../shapes.js';
import { stopWordTest } from '../shared/stop-words.js';

/** Operators on strings. */
export const text = tensorOperators(
  { domain: '', operator: 'StringNormalizer', versions: [10, 25], run: normalizeStrings },
  { domain: '', operator: 'StringConcat', versions: [20, 25], run: concatenateStrings },
  { domain: '', operator: 'StringSplit', versions: [20, 25], run: splitStrings },
  { domain: '', operator: 'RegexFullMatch', versions: [20, 25], run: matchPattern },
);

const normalizer = perNode((call) => {
  const action = choiceAttribute(call, 'case_change_action', ['LOWER', 'UPPER', 'NONE'], 'NONE');
  const folding = action.toLowerCase() as 'lower' | 'upper' | 'none';
  const stopWords = stringsAttribute(call, 'stopwords', []);
  return {
    fold: (value: string) => foldText(value, folding),
    isStop: stopWordTest(stopWords, folding, flagAttribute(call, 'is_case_sensitive', false)),
  };
});

/**
 * Converts the case of strings and removes strings that equal a stop word. If all strings are
 * removed, the result is one empty string.
 */
function normalizeStrings(call: TensorCall) {
  const { data, shape } = tensorInput(call, 0, ['string']);
  const isRow = shape.length === 2 && shape[0] === 1;
  if (shape.length !== 1 && !isRow) throw call.fault(`shape ${shown(shape)}`, 'shape [C] or [1, C]');
  const { fold, isStop } = normalizer(call);
  const folded = mapDistinct(data, (value) => (isStop(value) ? [] : [fold(value)]));
  const kept = folded.flat();
  const values = kept.length === 0 && data.length > 0 ? [''] : kept;
  call.budget.take(values.length);
  return [{ element: 'string' as const, shape: isRow ? [1, values.length] : [values.length], data: values }];
}

/**
 * Concatenates strings. Each character takes as much of the budget as an element, because strings
 * that are doubled repeatedly would exceed any memory.
 */
function concatenateStrings(call: TensorCall) {
  const [left, right] = [0, 1].map((index) => tensorInput(call, index, ['string']));
  const shape = broadcastShape([left!.shape, right!.shape], call);
  const [lefts, rights] = [left!, right!].map((side) => offsetsOf(shape, broadcastStrides(side.shape, shape), call));
  const made = allocate(call, 'string', shape);
  for (let at = 0; at < made.data.length; at++) {
    const parts = [left!.data[lefts![at]!]!, right!.data[rights![at]!]!] as const;
    call.budget.take(parts[0].length + parts[1].length);
    made.data[at] = parts[0] + parts[1];
  }
  return [finished(made)];
}

/**
 * Splits each string and adds a last axis of pieces, padded with empty strings. The second output
 * holds the number of pieces per string.
 */
function splitStrings(call: TensorCall) {
  const { data, shape } = tensorInput(call, 0, ['string']);
  const delimiter = stringAttribute(call, 'delimiter', '');
  const given = call.attributes.maxsplit === undefined ? -1 : intAttribute(call, 'maxsplit');
  const most = given < 0 ? Number.POSITIVE_INFINITY : given;
  const pieces = mapDistinct(data, (value) =>
    delimiter === '' ? splitAtSpace(value, most) : splitAt(value, delimiter, most),
  );
  const width = pieces.reduce((widest, { length }) => Math.max(widest, length), 0);
  const made = allocate(call, 'string', [...shape, width]);
  pieces.forEach((list, at) => {
    list.forEach((piece, index) => {
      made.data[at * width + index] = piece;
    });
  });
  const counts = pieces.map((list) => list.length);
  return [finished(made), int64(call, shape, counts)];
}

/** Splits at most `most` times. The text after the last split is not split further. */
function splitAt(value: string, delimiter: string, most: number): string[] {
  const pieces = value.split(delimiter);
  if (pieces.length <= most + 1) return pieces;
  return [...pieces.slice(0, most), pieces.slice(most).join(delimiter)];
}

const spaces = classExpression(unicodeSpace, '+');

/**
 * Splits at runs of white space. White space at the ends is ignored, but the text after the last
 * split keeps its white space.
 */
function splitAtSpace(value: string, most: number): string[] {
  const pieces: string[] = [];
  let from = 0;
  for (const { index, 0: space } of value.matchAll(spaces)) {
    if (index > from) {
      if (pieces.length >= most) break;
      pieces.push(value.slice(from, index));
    }
    from = index + space.length;
  }
  if (from < value.length) pieces.push(value.slice(from));
  return pieces;
}

const patternOf = perNode((call) => compilePattern(call, stringAttribute(call, 'pattern'), 0));

function matchPattern(call: TensorCall) {
  const { data, shape } = tensorInput(call, 0, ['string']);
  const pattern = patternOf(call);
  const made = allocate(call, 'bool', shape);
  mapDistinct(data, (value) => pattern.matches(value)).forEach((isMatch, at) => {
    made.data[at] = isMatch ? 1 : 0;
  });
  return [finished(made)];
}
