import { flagAttribute } from '../attributes.js';
import { type TensorCall, tensorOperators } from '../define.js';
import { takeWork } from '../images.js';
import { intsInput, type NumberData, onlyElement, optionalInput, tensorInput } from '../inputs.js';
import { int64 } from '../moving.js';
import { shown } from '../shapes.js';
import type { Tensor } from '../tensor.js';

/** The operator for non-maximum suppression, the last step of many object detectors. */
export const suppressions = tensorOperators({
  domain: '',
  operator: 'NonMaxSuppression',
  versions: [10, 25],
  run: (call) => [nonMaxSuppression(call)],
});

/** A box, described by two corners. The corner with the smaller coordinates comes first. */
type Box = readonly [top: number, left: number, bottom: number, right: number];

const { fround, max, min } = Math;

function boxAt(data: NumberData, at: number, isCentered: boolean): Box {
  const [a, b, c, d] = [data[at]!, data[at + 1]!, data[at + 2]!, data[at + 3]!];
  // [x, y, width, height] with the center, or [y, x] of two corners.
  if (isCentered) return [fround(b - d / 2), fround(a - c / 2), fround(b + d / 2), fround(a + c / 2)];
  return [min(a, c), min(b, d), max(a, c), max(b, d)];
}

const areaOf = ([top, left, bottom, right]: Box): number => (bottom - top) * (right - left);

/** Returns the intersection over union of two boxes; 0 for boxes without an area. */
function overlap(one: Box, other: Box): number {
  const height = min(one[2], other[2]) - max(one[0], other[0]);
  const width = min(one[3], other[3]) - max(one[1], other[1]);
  if (!(height > 0 && width > 0)) return 0;
  const shared = height * width;
  return fround(shared / (areaOf(one) + areaOf(other) - shared));
}

/**
 * The comparison of two boxes counts against the budget like this many multiplications, because it
 * takes about as long.
 */
const OVERLAP_PRODUCTS = 256;

interface Choice {
  readonly index: number;
  readonly box: Box;
}

/**
 * For each class of each image in the batch, selects the boxes with the best scores. Omits boxes
 * that overlap a better box too much. Returns the indexes `[batch, class, box]` of each selected
 * box.
 */
function nonMaxSuppression(call: TensorCall): Tensor {
  const [given, scores] = [tensorInput(call, 0, ['float32']), tensorInput(call, 1, ['float32'])];
  const [batch, count, corners] = given.shape as [number, number, number];
  const [scoreBatch, classes, scoreCount] = scores.shape as [number, number, number];
  const isFitting = given.shape.length === 3 && scores.shape.length === 3 && corners === 4;
  if (!isFitting || scoreBatch !== batch || scoreCount !== count)
    throw call.fault(
      `boxes ${shown(given.shape)}, scores ${shown(scores.shape)}`,
      'boxes [batch, boxes, 4] and scores [batch, classes, boxes]',
    );
  const most = intsInput(call, 2)?.[0] ?? 0;
  const [overlapping, worst] = [threshold(call, 3) ?? 0, threshold(call, 4)];
  const isCentered = flagAttribute(call, 'center_point_box', false);
  const overlaps = (box: Box, kept: readonly Choice[]) => kept.some((other) => overlap(box, other.box) > overlapping);
  const selected: number[] = [];
  for (let row = 0; row < (most > 0 ? batch : 0); row++) {
    for (let label = 0; label < classes; label++) {
      const score = (box: number) => scores.data[(row * classes + label) * count + box]!;
      const order = Array.from({ length: count }, (_, box) => box)
        .filter((box) => worst === undefined || score(box) > worst)
        .sort((one, other) => score(other) - score(one));
      const kept: Choice[] = [];
      for (const index of order) {
        if (kept.length >= most) break;
        takeWork(call, OVERLAP_PRODUCTS * kept.length);
        const box = boxAt(given.data, (row * count + index) * 4, isCentered);
        if (!overlaps(box, kept)) kept.push({ index, box });
      }
      call.budget.take(3 * kept.length);
      for (const { index } of kept) selected.push(row, label, index);
    }
  }
  return int64(call, [selected.length / 3, 3], selected);
}

/** Returns the threshold in an input with one element, or undefined if the input is missing. */
function threshold(call: TensorCall, index: number): number | undefined {
  const tensor = optionalInput(call, index, ['float32']);
  return tensor === undefined ? undefined : Number(onlyElement(call, tensor, 'a threshold'));
}
