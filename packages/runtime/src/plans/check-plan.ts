import { type CompiledPlan, type KernelTable, PLAN_VERSION } from '@brezel/core';
import { runtimeError } from '../errors.js';
import { describe } from '../execute/rows/elements.js';

/**
 * Checks that this runtime supports the version of a compiled plan.
 * @throws ERR_RUNTIME_VERSION
 */
export function checkVersion(plan: CompiledPlan): void {
  if (typeof plan !== 'object' || plan === null)
    throw runtimeError('ERR_RUNTIME_VERSION', {
      expected: 'a compiled plan',
      received: describe(plan),
      at: 'register',
      hint: 'register(program.plan()); programs over whole tensors go to registerTensors',
    });
  const { name, version } = plan;
  if (version === PLAN_VERSION) return;
  if (typeof (plan as { plan?: unknown }).plan === 'function')
    throw runtimeError('ERR_RUNTIME_VERSION', {
      expected: 'a compiled plan',
      received: 'a program or a flow that is not compiled',
      at: 'register',
      hint: 'call plan() first: register(program.plan())',
    });
  const [expected, received] = [`version ${PLAN_VERSION}`, `${version}`];
  throw runtimeError('ERR_RUNTIME_VERSION', { expected, received, at: name });
}

/**
 * Checks that this thread has defined the custom operators of a plan.
 * @throws ERR_RUNTIME_OPERATOR
 */
export function checkOperators(kernels: KernelTable, { name, stages }: CompiledPlan): void {
  for (const { operator, version } of stages.flatMap(({ stage }) => stage.steps)) {
    if (kernels.reference(operator, version) !== undefined) continue;
    throw runtimeError('ERR_RUNTIME_OPERATOR', { received: `${operator}, version ${version}`, at: `plan ${name}` });
  }
}

/**
 * Checks the stages that JavaScript runs or reads.
 * @throws the errors of the kernel table.
 */
export function checkStages(kernels: KernelTable, { stages }: CompiledPlan): void {
  if (kernels.checkStage === undefined) return;
  for (const { stage } of stages) kernels.checkStage(stage);
}
