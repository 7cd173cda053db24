import type { ParameterValue } from '@brezel/core';
import { defineOp } from '../../define-op.js';
import { Flow } from '../../flow.js';
import { broadcastType } from '../arithmetic/operands.js';
import { repeatRow } from '../constant-row/index.js';
import { reference } from './reference.js';

/**
 * Defines the operator `string-concat`, which appends one text to another, element by element.
 * `Flow.stringConcat` adds it to a program.
 *
 * Types: text[n], text[n] → text[n].
 */
export const stringConcat = defineOp({
  name: 'string-concat',
  version: 1,
  doc: {
    does: 'Appends one text to another, element by element. An operand with one text is combined with every text of the other operand.',
    types: 'text[n], text[n] → text[n]',
    kernels: ['string_concat'],
  },
  annotations: { cardinality: '1-to-1', bound: 'memory', state: 'none' },
  infer: (use) => broadcastType('string-concat', use, 'string'),
  reference,
  kernel: () => ({ kernel: 'string_concat' }),
});

declare module '../../flow.js' {
  interface Flow<Kind, Row, Value> {
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
    stringConcat<Fields = unknown>(
      this: Flow<'text', Row, unknown>,
      other: Flow<'text', Fields, unknown> | string,
    ): Flow<'text', Row & Fields>;
    stringConcat<Fields = unknown>(
      this: Flow<'vector', Row, unknown>,
      other: Flow<'vector', Fields, unknown> | string,
    ): Flow<'vector', Row & Fields, readonly string[]>;
  }
}

Flow.prototype.stringConcat = function (this: Flow, other: Flow | string) {
  const behind = typeof other === 'string' ? repeatRow(this, sameText(this, other)) : other;
  return joinTexts(this, behind) as never;
};

/** Appends the texts of one flow to the texts of another flow, element by element. */
export const joinTexts = (left: Flow, right: Flow): Flow => left.context.apply(stringConcat, [left, right]);

const sameText = (beside: Flow, value: string): ParameterValue => ({
  dtype: 'string',
  shape: beside.kind === 'vector' ? [1] : [],
  values: [value],
});
