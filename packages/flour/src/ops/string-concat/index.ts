import type { ParameterValue } from '@brezel/core';
import { defineOp } from '../../define-op.js';
import { Flow } from '../../flow.js';
import { broadcastType } from '../arithmetic/operands.js';
import { repeatRow } from '../constant-row/index.js';
import { reference } from './reference.js';

export const stringConcat = defineOp({
  name: 'string-concat',
  version: 1,
  doc: {
    does: 'Appends one text to another, element by element. An operand of one text is repeated.',
    types: 'text[n], text[n] → text[n]',
    kernels: ['string_concat'],
  },
  annotations: { cardinality: '1-to-1', bound: 'memory', state: 'none' },
  infer: (use) => broadcastType('string-concat', use, 'string'),
  reference,
  kernel: () => ({ kernel: 'string_concat' }),
});

declare module '../../flow.js' {
  interface Flow<Kind> {
    /**
     * Appends another text, or a constant one, to each text.
     *
     * Shapes: text `[n]` and text `[n]` or `[1]` → text `[n]`. Cost: O(bytes). Bit-equal on every
     * engine.
     * @throws ERR_FLOUR_SIZE if the sizes differ and neither is 1; ERR_FLOUR_TYPE for an operand
     * that is not a text. During a prediction, ERR_RUNTIME_INPUT for a result of more than 2^28
     * bytes.
     * @see Source: ONNX StringConcat-20.
     * @example text.stringConcat(' ').stringConcat(text)
     */
    stringConcat<Of extends 'text' | 'vector'>(this: Flow<Of>, other: Flow<Of> | string): Flow<Of>;
  }
}

Flow.prototype.stringConcat = function <Of extends 'text' | 'vector'>(this: Flow<Of>, other: Flow<Of> | string) {
  const behind = typeof other === 'string' ? repeatRow(this, sameText(this, other)) : other;
  return joinTexts(this, behind) as Flow<Of>;
};

/** Joins two texts, element by element. */
export const joinTexts = (left: Flow, right: Flow): Flow => left.context.apply(stringConcat, [left, right]);

const sameText = (beside: Flow, value: string): ParameterValue => ({
  dtype: 'string',
  shape: beside.kind === 'vector' ? [1] : [],
  values: [value],
});
