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
import {
  checkAttributes,
  checkParameterTypes,
  findOperator,
  isCustomName,
  type OperatorUse,
  type ParameterShape,
  versionsOf,
} from '@brezel/flour';
import type { ObjectStore } from '@brezel/object-store';
import { stageIdentity } from '@brezel/oven';
import { fleetError } from './errors.js';

/**
 * Type and shape of a parameter in a file. The dtype `blob` means bytes for a kernel, such as a
 * compiled dictionary.
 */
interface StoredShape {
  readonly dtype: string;
  readonly shape: readonly number[];
}

/**
 * Checks a stage from a file as Flour checks programs: each operator must exist in the version that
 * the file names, and must compute the type that the file declares.
 *
 * @throws ERR_FLEET_STAGE; it has a `cause` if an operator rejects its inputs, attributes or
 * parameters.
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

/**
 * Checks the operators, types and parameter values of a stage whose parameters are in the store.
 */
export function checkWhole(stage: PhysicalStage, store: ObjectStore): void {
  checkStage(stage, (id) => store.info(id));
  checkValues(stage, store);
}

/**
 * Returns the type and shape of a parameter of an operator. Throws if the parameter is a blob,
 * because only kernels read blobs.
 */
function valueShape(name: string, { dtype, shape }: StoredShape, at: string): ParameterShape {
  if (dtype !== 'blob') return { dtype: dtype as DType, shape };
  throw fleetError('ERR_FLEET_STAGE', {
    expected: `a value as parameter "${name}"`,
    received: 'a blob for a kernel',
    at,
  });
}

/**
 * Returns the stage with a newly computed key. The key in the file may be wrong, and a runtime
 * shares stages with equal keys.
 */
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
  rejectPaths(step, at);
  withOperatorErrors(at, () => checkParameterTypes(operator, use));
  withOperatorErrors(at, () => checkAttributes(operator, use));
  const type = withOperatorErrors(at, () => operator.infer(use));
  if (!sameType(type, step.type))
    throw fleetError('ERR_FLEET_STAGE', { expected: printType(type), received: printType(step.type), at });
}

/**
 * Rejects a black box that is a path. A path has no meaning on another machine, and the sender of a
 * file must not select which files are opened.
 *
 * @throws ERR_FLEET_STAGE
 */
export function rejectPaths({ operator, attributes }: Step, at: string): void {
  if (operator !== BLACK_BOX || attributes.path === undefined) return;
  throw fleetError('ERR_FLEET_STAGE', {
    expected: 'a black box with the bytes of its model',
    received: 'a black box with the path of its model',
    at,
    hint:
      attributes.format === 'external'
        ? 'a fleet file cannot contain a model of another server; add the plan to the registry in code'
        : 'pass the bytes of the ONNX file to blackBox: a fleet file contains them',
  });
}

function unknownCustom({ operator, version }: Step, at: string): Error {
  const known = versionsOf(operator);
  return fleetError('ERR_FLEET_OPERATOR', {
    expected: `the custom operator ${operator}, version ${version}, to be defined`,
    received: known.length === 0 ? 'no operator of this name' : `version ${known.join(', ')}`,
    at,
  });
}

/**
 * Checks the values of a stage's parameters. For each operator, it runs the check that the
 * operator's builder method also runs.
 */
export function checkValues(stage: PhysicalStage, store: ObjectStore): void {
  const types = [...stage.inputs, ...stage.steps.map(({ type }) => type)];
  for (const { operator, version, attributes, type, ...step } of stage.steps) {
    const check = findOperator(operator, version)?.check;
    if (check === undefined) continue;
    const values = Object.entries(step.parameters).map(([name, id]) => [name, store.get(id)] as const);
    const inputs = step.inputs.map((slot) => types[slot]!);
    const use = { inputs, attributes, type, parameters: Object.fromEntries(values) };
    withOperatorErrors(`${operator} in stage ${stage.key.slice(0, 8)}`, () => check(use));
  }
}

/**
 * Runs a function of an operator and converts each error to ERR_FLEET_STAGE. Operators expect
 * attributes that their builder methods have checked, so attributes from a file may cause any
 * error.
 */
function withOperatorErrors<T>(at: string, ask: () => T): T {
  try {
    return ask();
  } catch (cause) {
    const received = cause instanceof BrezelError ? cause.message : 'invalid attributes or parameters';
    throw fleetError('ERR_FLEET_STAGE', { received, at, cause });
  }
}
