import { choiceAttribute } from '../attributes.js';
import { type OperatorSteps, type TensorCall, tensorOperators } from '../define.js';
import { computedSteps, type Floats, tensorInput } from '../inputs.js';
import { blockOf, interruptible } from '../pauses.js';
import { reductions } from '../reductions.js';
import { shown } from '../shapes.js';

const metrics = ['sqeuclidean', 'euclidean'] as const;

/**
 * Computes the distance of every row of A to every row of B. skl2onnx writes this operator with
 * `optim='cdist'`. Squares are summed as in ReduceSumSquare. onnxruntime derives distances from
 * products, which is less exact near zero.
 */
function* distances(call: TensorCall): OperatorSteps {
  const a = tensorInput(call, 0, ['float32', 'float64']) as Floats;
  const b = tensorInput(call, 1, [a.element]) as Floats;
  const metric = choiceAttribute(call, 'metric', metrics, 'sqeuclidean');
  const [rows, size] = a.shape as [number, number];
  if (a.shape.length !== 2 || b.shape.length !== 2 || b.shape[1] !== size)
    throw call.fault(
      `shapes ${shown(a.shape)} and ${shown(b.shape)}`,
      'two matrices A and B with equal numbers of columns',
    );
  const others = b.shape[0]!;
  const keep = a.element === 'float64' ? (x: number) => x : Math.fround;
  const away = new Float64Array(size);
  const square = (row: number, other: number) => {
    for (let at = 0; at < size; at++) away[at] = keep(a.data[row * size + at]! - b.data[other * size + at]!);
    return reductions.sumOfSquares.real(away, keep);
  };
  call.budget.take(rows * others * size); // the work grows with the number of columns too
  const distanceAt = (at: number) => {
    const sum = square(Math.floor(at / others), at % others);
    return metric === 'euclidean' ? Math.sqrt(sum) : sum;
  };
  return [yield* computedSteps(call, a.element, [rows, others], distanceAt, blockOf(4 * size))];
}

export const distanceMatrices = tensorOperators(
  interruptible({ domain: 'com.microsoft', operator: 'CDist', versions: [1, 1], steps: distances }),
);
