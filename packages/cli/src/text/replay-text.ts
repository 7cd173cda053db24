import type { Imported } from '@brezel/onnx';
import type { ReplayedOutput, Tolerance } from 'brezel';
import { columns, count, printable } from './table.js';

/** Formats the result of `verify --test-data` for people, with one line for each output. */
export function replayText({
  file,
  kind,
  blackBoxes,
  rtol,
  atol,
  outputs,
}: Tolerance & {
  readonly file: string;
  readonly kind: Imported['kind'];
  readonly blackBoxes: number;
  readonly outputs: readonly ReplayedOutput[];
}): string {
  const boxes = blackBoxes === 0 ? '' : `, ${blackBoxes === 1 ? '1 black box' : `${blackBoxes} black boxes`}`;
  const program = `${kind === 'row' ? 'row by row' : 'over whole tensors'}${boxes}`;
  const lines = outputs.map(({ set, output, agrees, largestDifference, difference }) => [
    printable(set),
    printable(output),
    agrees ? 'agrees' : 'differs',
    largestDifference === 0 ? 'exact' : `max. difference ${Number(largestDifference.toPrecision(3))}`,
    printable(difference ?? ''),
  ]);
  const agreeing = outputs.filter(({ agrees }) => agrees).length;
  const heading = `${printable(file)}  ${program}, rtol ${rtol}, atol ${atol}`;
  return `${heading}\n${columns(lines)}\n  ${agreeing} of ${count(outputs.length, 'output')} agree\n`;
}
