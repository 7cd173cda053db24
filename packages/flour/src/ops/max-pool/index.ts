import { sizeOf, type ValueType, vector } from '@brezel/core';
import { ofNumbers, ofUsableSize, onlyInput } from '../../checks.js';
import { defineOp, type OperatorUse } from '../../define-op.js';
import { flourError } from '../../errors.js';
import type { Flow } from '../../flow.js';
import { entriesInside, type ImageWindows, readWindows, windowNumbers } from '../conv/windows.js';
import { reference } from './reference.js';

/**
 * Defines the operator `max-pool`, which returns the greatest entry of each window of each channel
 * of an image. Only importers add it to a program.
 *
 * Types: float32[channels * height * width] → float32[channels * windows].
 */
export const maxPool = defineOp({
  name: 'max-pool',
  version: 1,
  doc: {
    does: 'Returns the greatest entry of each window of each channel of an image. If a window contains NaN, its result is NaN.',
    types: 'float32[channels * height * width] → float32[channels * windows]',
    attributes: {
      size: 'height and width of the image',
      kernel: 'height and width of a window',
      strides: 'distance between windows',
      dilations: 'distance between entries of a window',
      before: 'padding above and left',
      places: 'number of windows, vertical and horizontal',
    },
    kernels: ['max_pool'],
  },
  attributes: {
    size: 'infer',
    kernel: 'infer',
    strides: 'infer',
    dilations: 'infer',
    before: 'infer',
    places: 'infer',
  },
  annotations: { cardinality: 'n-to-1', bound: 'memory', state: 'none' },
  infer,
  reference,
  cost: ({ entries, attributes }) => {
    const [height, width] = readWindows('max-pool', attributes).kernel;
    return entries.output * height * width;
  },
  kernel: ({ attributes, inputs }) => {
    const windows = readWindows('max-pool', attributes);
    return {
      kernel: 'max_pool',
      attributes: [...windowNumbers(windows), sizeOf(inputs[0]!) / (windows.size[0] * windows.size[1])],
    };
  },
});

function infer(use: OperatorUse): ValueType {
  const input = ofNumbers('max-pool', onlyInput('max-pool', use, 'vector'), 'float32');
  const windows = readWindows('max-pool', use.attributes);
  const channels = sizeOf(input) / (windows.size[0] * windows.size[1]);
  if (!Number.isInteger(channels))
    throw flourError('ERR_FLOUR_SIZE', {
      expected: `channels of ${windows.size.join(' by ')}`,
      received: `${sizeOf(input)} numbers`,
      at: 'max-pool',
    });
  const type = ofUsableSize('max-pool', vector('float32', channels * windows.places[0] * windows.places[1]));
  for (const axis of [0, 1] as const) {
    for (let place = 0; place < windows.places[axis]; place++) {
      if (entriesInside(windows, axis, place).length === 0)
        throw flourError('ERR_FLOUR_SIZE', {
          expected: 'windows that cover some of the image',
          received: `window ${place} of axis ${axis} in the padding`,
          at: 'max-pool',
        });
    }
  }
  return type;
}

/** Applies the operator `max-pool` to a flow of flattened images. */
export const poolGreatest = (image: Flow<'vector'>, windows: ImageWindows): Flow<'vector'> =>
  image.context.apply<'vector'>(maxPool, [image], { attributes: { ...windows } });
