import {
  BLACK_BOX,
  BrezelError,
  type DType,
  type ParameterId,
  type PhysicalStage,
  printType,
  type Step,
  sameType,
} from '@brezel/core';
import { findOperator, isCustomName, type OperatorUse, type ParameterShape, versionsOf } from '@brezel/flour';
import type { ObjectStore } from '@brezel/object-store';
import { stageIdentity } from '@brezel/oven';
import { fleetError } from './errors.js';

/** A parameter as a file lists it: a value, or a blob. */
interface StoredShape {
  readonly dtype: string;
  readonly shape: readonly number[];
}

/**
 * Checks a stage out of a file as Flour checked the program it came from: each operator is known in this version, and gives the type that the
 * file says.
 *
 * @throws ERR_FLEET_STAGE, also for what an operator says against its inputs, attributes or parameters (then with the cause).
 */
export function checkStage(stage: PhysicalStage, parameter: (id: ParameterId) => StoredShape): void {
  const at = `stage ${stage.key.slice(0, 8)}`;
  const types = [...stage.inputs];
  for (const step of stage.steps) {
    const shapes = Object.entries(step.parameters).map(([name, id]) => [name, valueShape(name, parameter(id), at)]);
    const inputs = step.inputs.map((slot) => types[slot]!);
    checkStep(step, { inputs, attributes: step.attributes, parameters: Object.fromEntries(shapes) }, at);
    types.push(step.type);
  }
}

/** As `checkStage` and `checkValues`, of a stage whose parameters are in the store. */
export function checkWhole(stage: PhysicalStage, store: ObjectStore): void {
  checkStage(stage, (id) => store.info(id));
  checkValues(stage, store);
}

/** Steps read values; bytes in a format of their own (a dictionary) are for kernels. */
function valueShape(name: string, { dtype, shape }: StoredShape, at: string): ParameterShape {
  if (dtype !== 'blob') return { dtype: dtype as DType, shape };
  throw fleetError('ERR_FLEET_STAGE', {
    expected: `a value as parameter "${name}"`,
    received: 'bytes of a kernel',
    at,
  });
}

/** The stage under the key that this version gives it, whatever the file says: equal keys must be equal stages. */
export const withKey = (stage: PhysicalStage, store: ObjectStore): PhysicalStage => ({
  ...stage,
  ...stageIdentity(store, stage.inputs, stage.steps, stage.outputs, stage.calls),
});

function checkStep(step: Step, use: OperatorUse, stage: string): void {
  const at = `${step.operator} in ${stage}`;
  const operator = findOperator(step.operator, step.version);
  if (operator === undefined && isCustomName(step.operator)) throw unknownCustom(step, stage);
  if (operator === undefined) throw fleetError('ERR_FLEET_STAGE', { received: 'an unknown operator', at });
  if (operator.version !== step.version) {
    const [expected, received] = [`version ${operator.version}`, `version ${step.version}`];
    throw fleetError('ERR_FLEET_STAGE', { expected, received, at });
  }
  refuseFiles(step, at);
  const type = refusals(at, () => operator.infer(use));
  if (!sameType(type, step.type))
    throw fleetError('ERR_FLEET_STAGE', { expected: printType(type), received: printType(step.type), at });
}

/** A path says nothing elsewhere, and who sends a file must not choose what is opened. @throws ERR_FLEET_STAGE */
export function refuseFiles({ operator, attributes }: Step, at: string): void {
  if (operator !== BLACK_BOX || attributes.path === undefined) return;
  throw fleetError('ERR_FLEET_STAGE', {
    expected: 'a black box of bytes',
    received: 'the path of a model',
    at,
    hint: 'give blackBox the bytes of an ONNX file: those go into a fleet file',
  });
}

function unknownCustom({ operator, version }: Step, at: string): Error {
  const known = versionsOf(operator);
  return fleetError('ERR_FLEET_OPERATOR', {
    expected: `the custom operator ${operator}, version ${version}, to be defined`,
    received: known.length === 0 ? 'none of this name' : `version ${known.join(', ')}`,
    at,
  });
}

/** Checks the values of parameters where an operator's reference relies on them. */
export function checkValues(stage: PhysicalStage, store: ObjectStore): void {
  for (const step of stage.steps) {
    const check = findOperator(step.operator, step.version)?.check;
    if (check === undefined) continue;
    const at = `${step.operator} in stage ${stage.key.slice(0, 8)}`;
    const values = Object.entries(step.parameters).map(([name, id]) => [name, store.get(id)] as const);
    refusals(at, () => check(Object.fromEntries(values)));
  }
}

/** Operators rely on the fluent methods for the forms of attributes: what a file makes of them may surprise them. */
function refusals<T>(at: string, ask: () => T): T {
  try {
    return ask();
  } catch (cause) {
    const received = cause instanceof BrezelError ? cause.message : 'attributes or parameters of another form';
    throw fleetError('ERR_FLEET_STAGE', { received, at, cause });
  }
}
