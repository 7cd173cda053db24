import type { Tensor } from '@brezel/core';
import { elementCount } from '@brezel/core';
import type { AttributeValue } from '@brezel/onnx';
import fc from 'fast-check';
import { reals } from './random-quantized-nodes.js';
import { type Family, listOf, nodeOf } from './random-tensor-node.js';

const TOLERANCE = 1e-4;

const layers = fc.record({
  steps: fc.integer({ min: 1, max: 4 }),
  batch: fc.integer({ min: 1, max: 3 }),
  width: fc.integer({ min: 1, max: 3 }),
  hidden: fc.integer({ min: 1, max: 3 }),
  direction: fc.constantFrom('forward', 'reverse', 'bidirectional'),
  lengths: listOf(fc.integer({ min: 1, max: 4 }), 3),
  hasBias: fc.boolean(),
  hasLengths: fc.boolean(),
  hasStates: fc.boolean(),
  hasPeepholes: fc.boolean(),
  flag: fc.boolean(),
  clip: fc.option(fc.constantFrom(0.5, 2)),
});

/** Numbers between -1 and 1. */
const spread = (shape: readonly number[], start: number): Tensor =>
  reals(
    shape,
    Array.from({ length: elementCount(shape) }, (_, at) => (((at + start) * 13) % 23) / 11 - 1),
  );

const layer = (
  operator: string,
  gates: number,
  activations: fc.Arbitrary<readonly string[]>,
  flag: string | undefined,
): Family => [
  operator,
  fc.tuple(layers, activations).map(([one, names]) => {
    const { steps, batch, width, hidden, direction } = one;
    const ways = direction === 'bidirectional' ? 2 : 1;
    const state = (start: number) => (one.hasStates ? spread([ways, batch, hidden], start) : undefined);
    const lengths: Tensor = {
      element: 'int32',
      shape: [batch],
      data: Int32Array.from(one.lengths.slice(0, batch), (length) => Math.min(length, steps)),
    };
    const inputs = [
      spread([steps, batch, width], 1),
      spread([ways, gates * hidden, width], 2),
      spread([ways, gates * hidden, hidden], 3),
      one.hasBias ? spread([ways, 2 * gates * hidden], 4) : undefined,
      one.hasLengths ? lengths : undefined,
      state(5),
      ...(operator === 'LSTM' ? [state(6), one.hasPeepholes ? spread([ways, 3 * hidden], 7) : undefined] : []),
    ];
    const attributes: Record<string, AttributeValue> = {
      hidden_size: { i: hidden },
      direction: { s: direction },
      activations: { strings: Array.from({ length: ways }, () => names).flat() },
      ...(flag !== undefined && { [flag]: { i: one.flag ? 1 : 0 } }),
      ...(one.clip !== null && { clip: { f: one.clip } }),
    };
    const outputs = operator === 'LSTM' ? ['y', 'h', 'c'] : ['y', 'h'];
    return { ...nodeOf(operator, inputs, attributes, outputs), tolerance: TOLERANCE };
  }),
];

const gate = fc.constantFrom('Sigmoid', 'HardSigmoid', 'Tanh');
const inner = fc.constantFrom('Tanh', 'Relu', 'Softsign');

/** Random nodes that read sequences. */
export const recurrentNodes: readonly Family[] = [
  layer('RNN', 1, fc.tuple(fc.constantFrom('Tanh', 'Relu', 'Sigmoid')), undefined),
  layer('GRU', 3, fc.tuple(gate, inner), 'linear_before_reset'),
  layer('LSTM', 4, fc.tuple(gate, inner, inner), 'input_forget'),
];
