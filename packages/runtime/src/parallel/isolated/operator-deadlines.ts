import type { CompiledPlan, KernelTable } from '@brezel/core';
import { runtimeError } from '../../errors.js';
import type { CheckedOptions } from '../../plans/register-options.js';
import type { OperatorDeadlines } from './isolated-plan.js';
import type { Isolation } from './isolation.js';

/**
 * Returns the deadlines of a plan's operators, or undefined if no operator has a deadline.
 * @throws ERR_RUNTIME_OPTION
 */
export function operatorDeadlines(
  { stages }: CompiledPlan,
  kernels: KernelTable,
  isolation: Isolation | undefined,
  { name, cache, batching, engine }: CheckedOptions,
): OperatorDeadlines | undefined {
  const deadlines = new Map<string, number>();
  let deadlineMs = 0;
  for (const { operator, version } of stages.flatMap(({ stage }) => stage.steps)) {
    const own = kernels.deadlineMs?.(operator, version);
    if (own === undefined) continue;
    deadlines.set(operator, own);
    deadlineMs += own;
  }
  if (deadlines.size === 0) return undefined;
  const operators = [...deadlines.keys()];
  const at = `${operators.join(', ')}, plan ${name}`;
  if (isolation === undefined)
    throw runtimeError('ERR_RUNTIME_OPTION', {
      expected: 'operatorModules in createRuntime, for an operator with a deadline',
      received: 'none',
      at,
      hint: 'createRuntime({ operatorModules: [url] }) with the module that defines it: workers import it',
    });
  const wrong = Object.entries({ cache, batching, engine }).find(([, value]) => value !== undefined);
  if (wrong !== undefined)
    throw runtimeError('ERR_RUNTIME_OPTION', {
      expected: 'no cache, batching or engine for a plan that runs on workers',
      received: wrong[0],
      at,
    });
  return { number: isolation.nextPlan(), deadlineMs, operators };
}
