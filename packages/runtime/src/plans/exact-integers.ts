import { type CompiledPlan, dtypeOf, type KernelTable, type PlannedStage } from '@brezel/core';

/**
 * Returns a plan whose answers contain every int64 of a row exactly. If an output returns values of
 * an int64 input unchanged, the output becomes `wide`: its answer is a bigint if float64 cannot
 * hold the integer. The addon does not write wide outputs, because it writes only float64 numbers.
 *
 * Fleet files do not contain the mark `wide`, because earlier versions of Brezel accepted only
 * integers up to 2^53.
 */
export function withExactIntegers(plan: CompiledPlan, kernels: Pick<KernelTable, 'passesIntegers'>): CompiledPlan {
  const isInteger = (index: number) => dtypeOf(plan.inputs[index]!.type) === 'int64';
  const { passesIntegers } = kernels;
  if (passesIntegers === undefined) return plan;
  const passed = new Set<number>();
  plan.inputs.forEach(({ type, unused }, slot) => {
    if (!unused && type.kind !== 'dictionary' && isInteger(slot)) passed.add(slot);
  });
  if (passed.size === 0) return plan;
  for (const planned of plan.stages) addPassed(planned, passed, passesIntegers);
  const isNew = (slot: number, wide: true | undefined) => !wide && passed.has(slot);
  if (!plan.outputs.some(({ slot, wide }) => isNew(slot, wide))) return plan;
  return {
    ...plan,
    outputs: plan.outputs.map((port) => (isNew(port.slot, port.wide) ? { ...port, wide: true as const } : port)),
  };
}

/**
 * If a stage returns integers of the slots in `passed` unchanged, adds the output slots of the
 * stage to `passed`.
 */
function addPassed(
  { stage: { inputs, steps, outputs }, inputs: from, outputs: to }: PlannedStage,
  passed: Set<number>,
  passesIntegers: NonNullable<KernelTable['passesIntegers']>,
): void {
  const local = new Set(from.flatMap((slot, at) => (passed.has(slot) ? [at] : [])));
  steps.forEach(({ operator, version, attributes, inputs: read, type }, index) => {
    const isPassed = read.some((slot) => local.has(slot)) && passesIntegers(operator, version, attributes);
    if (isPassed && type.kind !== 'dictionary' && dtypeOf(type) === 'int64') local.add(inputs.length + index);
  });
  outputs.forEach((slot, at) => {
    if (local.has(slot)) passed.add(to[at]!);
  });
}
