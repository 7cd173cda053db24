import { dtypeOf, printType, scalar, sizeOf, tensor, type ValueType, vector } from '@brezel/core';
import { ofUsableSize, onlyInput } from '../../checks.js';
import { passOn } from '../../contributions.js';
import { defineOp } from '../../define-op.js';
import { flourError } from '../../errors.js';
import { Flow } from '../../flow.js';
import { passesMissing } from '../../missing.js';
import { passesElements } from '../../quality.js';
import { reference } from './reference.js';

/** The new type of a row: a scalar, a vector, or a tensor with the given axes. */
type RowShape = 'scalar' | 'vector' | readonly number[];

/**
 * Defines the operator `row-shape`, which changes the axes of a value and not its elements. The
 * result is a scalar, a vector, or a tensor with the given axes.
 */
export const rowShape = defineOp({
  name: 'row-shape',
  version: 1,
  doc: {
    does: 'Changes the axes of a value. The elements and their order do not change.',
    types: 'one value, [n] or any axes → one value, [n] or other axes',
    attributes: { to: 'vector, scalar, or a list of axes' },
  },
  attributes: { to: 'infer' },
  annotations: { cardinality: '1-to-1', bound: 'memory', state: 'none', alias: true, passesIntegers: true },
  infer(use) {
    const type = onlyInput('row-shape', use, 'scalar', 'vector', 'tensor');
    const shaped = ofUsableSize('row-shape', reshaped(type, use.attributes.to as RowShape));
    if (sizeOf(shaped) === sizeOf(type)) return shaped;
    const [expected, received] = [`${sizeOf(shaped)} elements a row`, printType(type)];
    throw flourError('ERR_FLOUR_SIZE', { expected, received, at: 'row-shape' });
  },
  reference,
  contributions: passOn,
  quality: passesElements,
  missing: passesMissing,
});

function reshaped(type: ValueType, to: RowShape): ValueType {
  if (to === 'scalar') return scalar(dtypeOf(type));
  return to === 'vector' ? vector(dtypeOf(type), sizeOf(type)) : tensor(dtypeOf(type), to);
}

declare module '../../flow.js' {
  interface Flow<Kind, Row, Value> {
    /**
     * Converts a scalar to a vector of one element, or a tensor to the vector of its elements. The
     * conversion takes no time during a prediction.
     *
     * @example scores.argMax().asVector()
     */
    asVector(this: Flow<'scalar' | 'text', Row, Value>): Flow<'vector', Row, readonly Value[]>;
    asVector(this: Flow<'tensor', Row, unknown>): Flow<'vector', Row>;
    /**
     * Converts a vector of one element to a scalar, or to a text. The conversion takes no time
     * during a prediction.
     *
     * @throws ERR_FLOUR_SIZE for a vector of several elements.
     * @example features.logistic({ weights }).asScalar()
     */
    asScalar(this: Flow<'vector', Row, readonly string[]>): Flow<'text', Row>;
    asScalar<Element>(this: Flow<'vector', Row, readonly Element[]>): Flow<'scalar', Row, Element>;
    asScalar(this: Flow<'tensor', Row, unknown>): Flow<'scalar', Row>;
    /**
     * Changes the axes of a row. The elements keep their order (row-major), so the change takes no
     * time during a prediction.
     *
     * Shapes: dense, `[n]` or any → `shape`, with the same number of elements.
     * @throws ERR_FLOUR_SIZE for another number of elements.
     * @see Source: ONNX Reshape, for one row.
     * @example scores.asTensor([1, 2])
     */
    asTensor(
      this: Flow<'vector' | 'tensor' | 'scalar' | 'text', Row, unknown>,
      shape: readonly number[],
    ): Flow<'tensor', Row>;
  }
}

const retyped = (flow: Flow, to: RowShape): Flow => flow.context.apply(rowShape, [flow], { attributes: { to } });

Flow.prototype.asVector = function (this: Flow) {
  return retyped(this, 'vector') as Flow<'vector'>;
};

Flow.prototype.asScalar = function (this: Flow) {
  return retyped(this, 'scalar') as never;
};

Flow.prototype.asTensor = function (this: Flow, shape) {
  return retyped(this, shape) as Flow<'tensor'>;
};
