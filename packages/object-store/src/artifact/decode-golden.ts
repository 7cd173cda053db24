import { type CompiledPlan, dtypeOf, sizeOf } from '@brezel/core';
import type { Golden } from './encode.js';
import { fault } from './fault.js';
import type { GoldenT } from './generated/golden.js';

/** Golden rows of a plan; their values are checked when they are answered. */
export function decodeGolden(golden: GoldenT, { inputs, width }: CompiledPlan, at: string): Golden {
  const { rows, numbers, answers } = golden;
  const columns = golden.columns.map(({ texts, numbers }, index) => {
    const type = inputs[index]?.type ?? fault(at, 'more columns than inputs');
    const isText = dtypeOf(type) === 'string';
    if ((isText ? texts : numbers).length !== rows * sizeOf(type)) fault(at, 'a column of another length');
    return isText ? texts : Float64Array.from(numbers);
  });
  if (columns.length !== inputs.length) fault(at, `${columns.length} columns`, `${inputs.length}`);
  const isAnswered =
    numbers.length === rows * width ? answers.length === 0 : numbers.length === 0 && answers.length === rows;
  if (!isAnswered) fault(at, 'other numbers of rows and answers');
  return { rows, columns, numbers: Float64Array.from(numbers), answers };
}
