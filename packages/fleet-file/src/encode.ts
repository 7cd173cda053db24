import {
  type CompiledPlan,
  InternalError,
  type KernelCall,
  type OutputPort,
  type ParameterId,
  type PhysicalStage,
  type PlannedStage,
  type Step,
  sameType,
  type ValueType,
} from '@brezel/core';
import type { ParameterInfo } from '@brezel/object-store';
import { Builder } from 'flatbuffers';
import { encodeAttributes } from './attributes.js';
import { BlobsT } from './generated/blobs.js';
import { ColumnT } from './generated/column.js';
import { FleetT } from './generated/fleet.js';
import { GoldenT } from './generated/golden.js';
import { InputT } from './generated/input.js';
import { KernelCallT } from './generated/kernel-call.js';
import { OutputT } from './generated/output.js';
import { PlanT } from './generated/plan.js';
import { ProgramT } from './generated/program.js';
import { ShapeT } from './generated/shape.js';
import { StageT } from './generated/stage.js';
import { StepT } from './generated/step.js';
import { ValueTypeT } from './generated/value-type.js';
import { WiringT } from './generated/wiring.js';
import { blobDtypes, dictionaryKeys, dictionaryValues, dtypes, kinds, roles } from './numbering.js';

/**
 * Golden rows of a plan: rows with their expected answers. Software that opens the file can verify
 * that the plan still returns these answers.
 */
export interface Golden {
  readonly rows: number;
  /** For each plan input, its values for all rows: strings, or numbers in row-major order. */
  readonly columns: readonly (readonly string[] | Float64Array)[];
  /**
   * The expected answers as `rows * width` numbers, in the order of an out-array. Empty if an
   * output is not numeric.
   */
  readonly numbers: Float64Array;
  /** The expected answers as one text for each row. Empty unless `numbers` is empty. */
  readonly answers: readonly string[];
}

/** The data that a fleet file stores for one plan. */
export interface StoredPlan {
  readonly plan: CompiledPlan;
  readonly golden?: Golden | undefined;
  /** Plain data about the model from the user, for example how the model was trained. */
  readonly statistics?: unknown;
}

/** A parameter and the position of its bytes in the file. */
export interface PlacedBlob extends Omit<ParameterInfo, 'references'> {
  readonly offset: number;
}

/**
 * Encodes the manifest of plans. `blobs` says where the file stores each parameter. Every stage,
 * stage program and shape is written once. `producer` is the name and version of the writing
 * software.
 */
export function encodeManifest(
  stored: readonly StoredPlan[],
  blobs: readonly PlacedBlob[],
  producer: string,
): Uint8Array {
  const numbers = new Map(blobs.map(({ id }, number) => [id, number]));
  const programs = new Numbered<ProgramT>();
  const stages = new Numbered<StageT>();
  const shapes = new Numbered<ShapeT>();
  const plans = stored.map(({ plan, golden, statistics }) => {
    checkCanonical(plan);
    const numbersOfStages = plan.stages.map(({ stage }) =>
      stages.number(stage.key, () => {
        const program = programs.number(programKey(stage), () => encodeProgram(stage));
        return new StageT(
          stage.key,
          roles.indexOf(stage.role),
          program,
          parametersOf(stage).map((id) => numbers.get(id)!),
        );
      }),
    );
    const shape = shapes.number(shapeKey(plan), () => encodeShape(plan));
    const rows = golden === undefined ? [] : encodeGolden(golden);
    const facts = statistics === undefined ? null : JSON.stringify(statistics);
    return new PlanT(plan.name, plan.version, shape, numbersOfStages, rows, facts);
  });
  const fleet = new FleetT(producer, encodeBlobs(blobs), programs.list, stages.list, shapes.list, plans);
  return packed(fleet, 1 << 16);
}

function packed(table: { pack(builder: Builder): number }, initialBytes?: number): Uint8Array {
  const builder = new Builder(initialBytes);
  builder.finish(table.pack(builder));
  return builder.asUint8Array();
}

/**
 * A list that stores each item once. `number` returns the index of the item with a key, and adds
 * the item if it is new.
 */
class Numbered<T> {
  readonly list: T[] = [];
  readonly #numbers = new Map<string, number>();

  number(key: string, make: () => T): number {
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    const number = this.list.push(make()) - 1;
    this.#numbers.set(key, number);
    return number;
  }
}

/**
 * Returns the parameters of a stage in file order: first the parameters of the steps, then the
 * parameters of the calls.
 */
export const parametersOf = ({ steps, calls }: PhysicalStage): ParameterId[] => [
  ...steps.flatMap((step) => Object.values(step.parameters)),
  ...(calls ?? []).flatMap((call) => call.parameters),
];

/**
 * Returns a key that only equal stage programs share. The checksum `program` is not enough, because
 * it does not cover the names and counts of parameters.
 */
const programKey = ({ program, steps, calls }: PhysicalStage) =>
  JSON.stringify([
    program,
    steps.map((step) => Object.keys(step.parameters)),
    calls?.map((call) => call.parameters.length),
  ]);

const shapeKey = ({ inputs, outputs, stages, nanosPerRow }: CompiledPlan) =>
  JSON.stringify([
    nanosPerRow,
    inputs,
    outputs,
    stages.map(({ inputs, marks }) => [inputs, marks, marks.maxVectorSizes.map(String)]),
  ]);

/** Returns the checksum of a parameter, which is the last part of its id. */
export const checksumOf = (id: ParameterId) => id.slice(id.lastIndexOf(':') + 1);

const encodeBlobs = (blobs: readonly PlacedBlob[]) =>
  new BlobsT(
    blobs.map(({ dtype }) => blobDtypes.indexOf(dtype)),
    blobs.map(({ shape }) => shape.length),
    blobs.flatMap(({ shape }) => shape),
    blobs.map(({ offset }) => offset),
    blobs.map(({ bytes }) => bytes),
    blobs.map(({ id }) => checksumOf(id)).join(''),
  );

const encodeShape = ({ inputs, outputs, stages, nanosPerRow }: CompiledPlan) =>
  new ShapeT(
    inputs.map(({ name, type, unused }) => new InputT(name, encodeType(type), unused ?? false)),
    outputs.map(encodeOutput),
    stages.map(encodeWiring),
    nanosPerRow,
  );

const encodeWiring = ({ inputs, marks }: PlannedStage) =>
  new WiringT([...inputs], [...marks.maxVectorSizes], marks.vectorizable, marks.materializable, marks.nanosPerRow);

/**
 * Checks that the stages number their output slots in order, and that the outputs follow each other
 * in the out-array without gaps. The file omits these numbers, because readers compute them from
 * the order.
 */
function checkCanonical({ name, inputs, outputs, stages }: CompiledPlan): void {
  let slot = inputs.length;
  const inOrder = stages.every((stage) => stage.outputs.every((output) => output === slot++));
  let offset = 0;
  const packed = outputs.every((port) => {
    const expectedOffset = offset;
    offset += port.length;
    return port.offset === expectedOffset;
  });
  const types = [...inputs.map((input) => input.type), ...stages.flatMap(({ stage }) => outputTypes(stage))];
  const typed = outputs.every((port) => sameType(port.type, types[port.slot]!));
  if (!inOrder || !packed || !typed)
    throw new InternalError(`plan ${name} numbers its slots or outputs in an unexpected order`);
}

/** Returns the types of all slots of a stage: first its inputs, then its steps. */
const slotTypes = ({ inputs, steps }: Pick<PhysicalStage, 'inputs' | 'steps'>): ValueType[] => [
  ...inputs,
  ...steps.map((step) => step.type),
];

export function outputTypes(stage: PhysicalStage): ValueType[] {
  const types = slotTypes(stage);
  return stage.outputs.map((slot) => types[slot]!);
}

const encodeOutput = ({ name, type, slot, labels, wide }: OutputPort) =>
  new OutputT(name, encodeType(type), slot, [...(labels ?? [])], wide ?? false);

function encodeGolden({ rows, columns, numbers, answers }: Golden): number[] {
  const lists = columns.map((column) =>
    column instanceof Float64Array ? new ColumnT([], [...column]) : new ColumnT([...column]),
  );
  return [...packed(new GoldenT(rows, lists, [...numbers], [...answers]))];
}

const encodeProgram = ({ program, inputs, steps, outputs, calls }: PhysicalStage) =>
  new ProgramT(
    program,
    inputs.map(encodeType),
    steps.map(encodeStep),
    [...outputs],
    calls !== undefined,
    (calls ?? []).map(encodeCall),
  );

const encodeStep = ({ operator, version, attributes, parameters, inputs, type }: Step) =>
  new StepT(operator, version, encodeAttributes(attributes), Object.keys(parameters), [...inputs], encodeType(type));

const encodeCall = ({ kernel, inputs, output, parameters, attributes, steps }: KernelCall) =>
  new KernelCallT(kernel, [...inputs], output, parameters.length, [...attributes], [...steps]);

function encodeType(type: ValueType): ValueTypeT {
  const kind = kinds.indexOf(type.kind);
  switch (type.kind) {
    case 'scalar':
      return new ValueTypeT(kind, dtypes.indexOf(type.dtype));
    case 'vector':
      return new ValueTypeT(kind, dtypes.indexOf(type.dtype), type.size);
    case 'sparse':
      return new ValueTypeT(kind, 0, type.size);
    case 'tokens':
      return new ValueTypeT(kind);
    case 'map':
      return new ValueTypeT(kind, 0, 0, [...type.keys]);
    case 'dictionary':
      return new ValueTypeT(kind, dictionaryValues.indexOf(type.values), dictionaryKeys.indexOf(type.keys));
    case 'tensor':
      return new ValueTypeT(kind, dtypes.indexOf(type.dtype), 0, [], [...type.shape]);
  }
}
