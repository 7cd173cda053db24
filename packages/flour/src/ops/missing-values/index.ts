import { sizeOf } from '@brezel/core';
import { ofLength, ofNumbers, onlyInput } from '../../checks.js';
import { defineOp, float32, type Numbers } from '../../define-op.js';
import { Flow } from '../../flow.js';
import { handlesMissing } from '../../missing.js';
import { ofCount, placeOf } from '../../numbers.js';
import '../densify/index.js';
import { type MissingValueTask, missingValueTasks, reference } from './reference.js';

/**
 * Defines the operator `missing-values`, which marks or replaces NaN. `Flow.missingIndicator` and
 * `Flow.replaceMissing` add it to a program.
 *
 * Its parameter for the task `replace` is `replacements`: float32, one number per column.
 */
export const missingValues = defineOp({
  name: 'missing-values',
  version: 1,
  doc: {
    does: 'Marks missing values, or replaces them.',
    types: 'float32[n] → float32[n]',
    attributes: { task: 'indicate or replace' },
    parameters: { replacements: 'float32[n]' },
    kernels: ['missing_values'],
  },
  attributes: { task: 'infer' },
  parameters: { replacements: ['float32'] },
  annotations: { cardinality: '1-to-1', bound: 'memory', state: 'featurizer' },
  learned: { replacements: 'number' },
  infer(use) {
    const type = ofNumbers('missing-values', onlyInput('missing-values', use, 'vector'), 'float32');
    const task = placeOf('missing-values', 'task', use.attributes.task, missingValueTasks);
    if (missingValueTasks[task] === 'replace') ofLength('missing-values', 'replacements', use, sizeOf(type));
    return type;
  },
  reference,
  missing: handlesMissing,
  kernel: ({ attributes, parameters }) => ({
    kernel: 'missing_values',
    parameters: parameters.replacements === undefined ? [] : ['replacements'],
    attributes: [missingValueTasks.indexOf(attributes.task as MissingValueTask)],
  }),
});

declare module '../../flow.js' {
  interface Flow<Kind, Row, Value> {
    /**
     * Returns 1 for each NaN, otherwise 0.
     *
     * Shapes: float32 `[n]` → float32 `[n]`; a sparse row becomes dense. Cost: O(n). To mark only
     * some columns, call `.selectColumns` first.
     * @see Source: scikit-learn MissingIndicator; ML.NET IndicateMissingValues.
     * @example features.concat(features.missingIndicator())
     */
    missingIndicator(this: Flow<'vector', Row, unknown>): Flow<'vector', Row>;

    /**
     * Replaces every NaN by a number.
     *
     * Shapes: float32 `[n]` → float32 `[n]`; a sparse row becomes dense. Cost: O(n).
     * @throws ERR_FLOUR_SIZE unless there is one replacement, or one per column.
     * @see Source: ML.NET ReplaceMissingValues (default, mean, minimum, maximum); scikit-learn
     * SimpleImputer over NaN.
     * @example features.replaceMissing([0.5, 2])
     */
    replaceMissing(this: Flow<'vector', Row, unknown>, replacements: number | Numbers): Flow<'vector', Row>;
  }
}

Flow.prototype.missingIndicator = function (this: Flow<'vector'>) {
  return this.context.apply<'vector'>(missingValues, [this.densify()], { attributes: { task: 'indicate' } });
};

Flow.prototype.replaceMissing = function (this: Flow<'vector'>, replacements) {
  const columns = sizeOf(this.type);
  const list = typeof replacements === 'number' ? new Float32Array(columns).fill(replacements) : replacements;
  ofCount('missing-values', 'replacements', list, columns);
  return this.context.apply<'vector'>(missingValues, [this.densify()], {
    attributes: { task: 'replace' },
    parameters: { replacements: float32(list) },
  });
};
