import { type ImageWindows, poolGreatest } from '@brezel/flour';
import fc from 'fast-check';
import { anyFloat, denseCase, type OperatorCases, rowsOf, shown } from '../../case.js';
import { anyWindows } from '../conv/cases.js';

const { NaN: nan, NEGATIVE_INFINITY: lowest } = Number;

const quarters: ImageWindows = {
  size: [2, 4],
  kernel: [2, 2],
  strides: [2, 2],
  dilations: [1, 1],
  before: [0, 0],
  places: [1, 2],
};

export const cases: OperatorCases = {
  operators: ['max-pool'],
  named: [
    denseCase(
      'two windows',
      [
        [1, 2, 3, 4, 5, 6, 8, 7],
        [lowest, lowest, 0, -0, lowest, nan, -1, -2],
      ],
      (x) => poolGreatest(x, quarters),
      [
        [6, 8],
        [nan, 0],
      ],
      { engine: 'native' },
    ),
    denseCase(
      'two channels, overlapping windows and padding',
      [[-1, -2, -3, 5, 6, 7]],
      (x) =>
        poolGreatest(x, { ...quarters, size: [1, 3], kernel: [1, 3], strides: [1, 1], before: [0, 1], places: [1, 3] }),
      [[-1, -1, -2, 6, 7, 7]],
    ),
    denseCase(
      'dilations',
      [[9, 1, 8, 2, 7]],
      (x) =>
        poolGreatest(x, {
          ...quarters,
          size: [1, 5],
          kernel: [1, 2],
          strides: [1, 1],
          dilations: [1, 3],
          places: [1, 2],
        }),
      [[9, 7]],
    ),
  ],
  random: fc
    .tuple(anyWindows, fc.integer({ min: 1, max: 3 }))
    .chain(([windows, channels]) =>
      rowsOf(anyFloat, channels * windows.size[0] * windows.size[1], 3).map((rows) =>
        denseCase(`${channels} channels, ${shown(windows)}`, rows, (x) => poolGreatest(x, windows)),
      ),
    ),
};
