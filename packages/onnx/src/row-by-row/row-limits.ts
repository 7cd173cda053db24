import type { Attributes, TensorLimits } from '@brezel/core';
import { onnxError } from '../errors.js';
import type { ImportBudget } from '../import-budget.js';

/**
 * Default limits of one row. A row runs without a pause. A request to a tensor program pauses for
 * the event loop, so its default for `maxSteps` is higher.
 */
export const defaultRowLimits: TensorLimits = { maxElements: 2 ** 26, maxSteps: 100_000 };

/** The number of rows that an import runs to learn the sizes of the outputs. */
export const PROBED_ROWS = 2;

/**
 * When the import runs a row, each node or loop iteration counts as this many steps of
 * `limits.steps`. One step stands for an element that is read or written; a node takes several
 * microseconds.
 */
const STEPS_PER_NODE = 4096;

/**
 * When the import runs a row, each computed element counts as this many steps of `limits.steps`. In
 * JavaScript, slow operators such as Resize take 100 to 200 ns for an element.
 */
const STEPS_PER_ELEMENT = 32;

/**
 * Returns the limits of one row that the option `rowByRow` sets, completed with the defaults.
 * Returns undefined if the option is missing or false.
 *
 * @throws ERR_ONNX_OPTION for another value, an unknown limit, and a limit that is not a count.
 */
export function rowLimits(choice: unknown): TensorLimits | undefined {
  if (choice === undefined || choice === false) return undefined;
  if (choice === true) return defaultRowLimits;
  if (typeof choice !== 'object' || choice === null || Array.isArray(choice))
    throw wrong(
      'true, false or an object of maxSteps and maxElements',
      Array.isArray(choice) ? 'an array' : String(choice),
      '',
    );
  const given = Object.entries(choice).filter(([, value]) => value !== undefined);
  for (const [name, value] of given) {
    if (!Object.hasOwn(defaultRowLimits, name)) throw wrong('maxSteps or maxElements', JSON.stringify(name), '');
    if (!isCount(value)) throw wrong('a whole number of 0 or more', String(value), `.${name}`);
  }
  return { ...defaultRowLimits, ...Object.fromEntries(given) };
}

const wrong = (expected: string, received: string, at: string) =>
  onnxError('ERR_ONNX_OPTION', { expected, received, at: `rowByRow${at}` });

const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 0;

/**
 * Returns the limits of a row from the attributes of a plan. Plans of earlier versions contain no
 * limits and get the defaults. Returns undefined if a limit is not a count.
 */
export function storedRowLimits({ maxSteps, maxElements }: Attributes): TensorLimits | undefined {
  const limits = { ...defaultRowLimits, ...(maxSteps !== undefined && { maxSteps }) };
  const all = { ...limits, ...(maxElements !== undefined && { maxElements }) };
  return isCount(all.maxSteps) && isCount(all.maxElements) ? (all as TensorLimits) : undefined;
}

/**
 * Returns the limits for a row that the import runs: the limits of a row, or less if the budget of
 * the import allows only fewer steps.
 */
export function probeLimits({ maxSteps, maxElements }: TensorLimits, budget: ImportBudget): TensorLimits {
  const left = budget.remaining('steps') / PROBED_ROWS;
  return {
    maxSteps: Math.min(maxSteps, Math.floor(left / STEPS_PER_NODE)),
    maxElements: Math.min(maxElements, Math.floor(left / STEPS_PER_ELEMENT)),
  };
}
