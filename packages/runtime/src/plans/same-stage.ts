import { type KernelCall, type PhysicalStage, type Step, sameType } from '@brezel/core';

// Stages with equal keys are equal, and so are programs with equal checksums, unless an unverified
// fleet file is forged. The runtime compares them before plans share a stage: the addon would
// otherwise run a stage with inputs of other types.

/** Returns whether two stages run the same operators and kernels with the same parameters. */
export const sameStage = (one: PhysicalStage, other: PhysicalStage): boolean =>
  one === other ||
  (sameProgram(one, other) &&
    every(one.steps, other.steps, sameParameters) &&
    every(one.calls ?? [], other.calls ?? [], (a, b) => every(a.parameters, b.parameters, Object.is)));

/**
 * Returns whether two stages run the same operators and kernels on values of the same types. Their
 * parameters may differ. Attributes of operators are not compared, because the kernel calls, which
 * are compared, already contain them.
 */
export function sameProgram(one: PhysicalStage, other: PhysicalStage): boolean {
  // Stages of one file share these lists if they have one program.
  if (one.inputs === other.inputs && one.outputs === other.outputs) return true;
  return (
    every(one.inputs, other.inputs, sameType) &&
    every(one.outputs, other.outputs, Object.is) &&
    every(one.steps, other.steps, sameStep) &&
    (one.calls === undefined) === (other.calls === undefined) &&
    every(one.calls ?? [], other.calls ?? [], sameCall)
  );
}

const sameStep = (one: Step, other: Step): boolean =>
  one.operator === other.operator &&
  one.version === other.version &&
  every(one.inputs, other.inputs, Object.is) &&
  sameType(one.type, other.type);

const sameCall = (one: KernelCall, other: KernelCall): boolean =>
  one.kernel === other.kernel &&
  one.output === other.output &&
  one.parameters.length === other.parameters.length &&
  every(one.inputs, other.inputs, Object.is) &&
  every(one.attributes, other.attributes, (a, b) => a === b || Object.is(a, b));

function sameParameters({ parameters: one }: Step, { parameters: other }: Step): boolean {
  const names = Object.keys(one);
  return names.length === Object.keys(other).length && names.every((name) => one[name] === other[name]);
}

/** Returns whether two lists have equal lengths and every pair of entries is the same. */
function every<T>(one: readonly T[], other: readonly T[], isSame: (a: T, b: T) => boolean): boolean {
  if (one.length !== other.length) return false;
  for (let at = 0; at < one.length; at++) if (!isSame(one[at]!, other[at]!)) return false;
  return true;
}
