import type { Program } from '@brezel/flour';
import { ovenError } from './errors.js';
import type { LogicalPlan } from './logical-plan.js';

/**
 * The default of the option `maxOperators`. The largest model of the test corpus has 428 ONNX
 * nodes. An operator takes up to 0.2 ms of CPU time to compile.
 */
export const DEFAULT_MAX_OPERATORS = 5_000;

/**
 * Rejects a program with too many operators before any rule runs, because compiling it would block
 * the thread for seconds.
 *
 * @throws ERR_OVEN_LIMIT
 */
export function checkOperatorLimit(
  { nodes, name }: LogicalPlan,
  program: Program,
  given = Math.max(DEFAULT_MAX_OPERATORS, program.maxOperators ?? 0),
): void {
  if (!(Number.isSafeInteger(given) && given >= 0) && given !== Number.POSITIVE_INFINITY)
    throw ovenError('ERR_OVEN_LIMIT', {
      expected: 'a whole number of 0 or more, or Infinity',
      received: String(given),
      at: 'maxOperators',
      hint: `leave maxOperators out to use its default, ${DEFAULT_MAX_OPERATORS}`,
    });
  const operators = nodes.reduce((count, { operator }) => count + Number(operator !== undefined), 0);
  if (operators <= given) return;
  throw ovenError('ERR_OVEN_LIMIT', {
    expected: `at most ${given} operators (maxOperators)`,
    received: `${operators}`,
    at: `program ${name}`,
    hint: `if you trust the model, compile it with a greater limit: createFlour({ maxOperators: ${2 * operators} })`,
  });
}
