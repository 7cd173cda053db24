import {
  type CompiledPlan,
  type DType,
  dtypeOf,
  type KernelTable,
  type PhysicalStage,
  type StepQuality,
  sizeOf,
  type ValueType,
} from '@brezel/core';
import type { ObjectStore } from '@brezel/object-store';
import { runtimeError } from '../../errors.js';
import { PIECE_STEPS, type Pieces } from '../../plans/pieces.js';
import { InputChecks } from './input-checks.js';
import { type Known, knownValues } from './known-values.js';
import { termCounter } from './terms.js';

/**
 * The input element `x` from which an element of another value is computed as `scale * x + offset`.
 */
interface Origin {
  readonly input: number;
  readonly element: number;
  readonly scale: number;
  readonly offset: number;
  /**
   * True if exactly one operator has changed the element, and this operator multiplied it by a
   * constant. A min-max scaler consists of such an operator and an addition.
   */
  readonly isFactor?: boolean;
}

/**
 * For each element of a value, its origin. Undefined for an element that is not an affine function
 * of one input element.
 */
type Origins = readonly (Origin | undefined)[];

/**
 * The checks compute the range of the training data from a min-max scaler, which maps the range to
 * 0..1. Because of rounding, they widen the range at both ends by this fraction of its length.
 */
const ROUNDING = 1e-6;

/**
 * Returns the checks of each input of a plan. Follows each element of an input through the
 * operators that only scale, shift or copy it, up to the first other operator. Does not read
 * dictionaries: each check reads its dictionary at its first test.
 *
 * @throws ERR_RUNTIME_OPTION if the definitions of the operators are not loaded.
 */
export function* planChecks(plan: CompiledPlan, kernels: KernelTable, store: ObjectStore): Pieces<InputChecks[]> {
  if (kernels.quality === undefined)
    throw runtimeError('ERR_RUNTIME_OPTION', {
      expected: 'no option quality',
      received: 'quality, but the definitions of the operators are not loaded',
      at: plan.name,
      hint: "import 'brezel' beside 'brezel/serve'",
    });
  const checks = plan.inputs.map((port) => new InputChecks(port));
  const values = new Map<number, Origins>();
  plan.inputs.forEach(({ type, unused }, input) => {
    const size = unused || !hasElements(type) ? 0 : sizeOf(type);
    values.set(
      input,
      Array.from({ length: size }, (_, element) => ({ input, element, scale: 1, offset: 0 })),
    );
  });
  let work = plan.inputs.length;
  for (const { stage, inputs, outputs } of plan.stages) {
    work += stage.inputs.length + stage.steps.length;
    if (work > PIECE_STEPS) {
      yield;
      work = 0;
    }
    const local = inputs.map((slot) => values.get(slot) ?? []);
    yield* followStage(stage, local, checks, kernels.quality, store);
    outputs.forEach((slot, at) => void values.set(slot, local[stage.outputs[at]!] ?? []));
  }
  return checks;
}

const hasElements = ({ kind }: ValueType): boolean => kind === 'scalar' || kind === 'vector' || kind === 'tensor';

/**
 * Adds the checks that the operators of a stage imply. Appends the origins of the operators'
 * results to `local`.
 */
function* followStage(
  stage: PhysicalStage,
  local: Origins[],
  checks: readonly InputChecks[],
  quality: NonNullable<KernelTable['quality']>,
  store: ObjectStore,
): Pieces<void> {
  const types = [...stage.inputs, ...stage.steps.map(({ type }) => type)];
  for (const [index, step] of stage.steps.entries()) {
    if (index % PIECE_STEPS === PIECE_STEPS - 1) yield;
    const output: (Origin | undefined)[] = [];
    step.inputs.forEach((slot, input) => {
      const origins = local[slot]!;
      if (!origins.some((origin) => origin !== undefined)) return;
      const inputTypes = step.inputs.map((one) => types[one]!);
      const parameter = (name: string) => store.get(step.parameters[name]!);
      const found = quality({ step, inputTypes, input, parameter });
      if (found === undefined) return;
      if (found.known !== undefined) {
        const known = knownValues(stage, step, found.known, dtypeOf(inputTypes[input]!), store);
        for (const origin of origins) if (isPlain(origin)) checks[origin.input]!.addKnown(origin.element, known);
      }
      if (found.missing !== undefined && !Number.isNaN(found.missing))
        addMarkers(found.missing, dtypeOf(inputTypes[input]!), origins, checks);
      if (found.range !== undefined) addRange(found.range, origins, checks);
      found.passes?.forEach((element, at) => {
        const origin = element < 0 ? undefined : origins[element];
        if (origin !== undefined) output[at] = passed(origin, at, found, checks);
      });
    });
    local.push(output);
  }
  for (const call of stage.calls ?? []) {
    const [origin] = call.kernel === 'text_ngram' ? (local[call.inputs[0]!] ?? []) : [];
    if (isPlain(origin)) checks[origin.input]!.addTerms(termCounter(call, store));
  }
}

const isPlain = (origin: Origin | undefined): origin is Origin => origin?.scale === 1 && origin.offset === 0;

/**
 * Returns the origin of an element after an operator. If the operator is the addition of a min-max
 * scaler, also adds the scaler's range to the checks of the input.
 */
function passed(origin: Origin, at: number, { affine, scaling }: StepQuality, checks: readonly InputChecks[]): Origin {
  if (affine === undefined) return origin;
  const scale = origin.scale * affine.scale[at]!;
  const offset = origin.offset * affine.scale[at]! + affine.offset[at]!;
  if (scaling === 'offset' && origin.isFactor) {
    const [one, other] = [-offset / scale, (1 - offset) / scale];
    const slack = Math.abs(other - one) * ROUNDING;
    const range = [Math.min(one, other) - slack, Math.max(one, other) + slack] as const;
    checks[origin.input]!.addRange(origin.element, ...range);
  }
  return { ...origin, scale, offset, isFactor: scaling === 'factor' && isPlain(origin) };
}

/**
 * Adds a test for a marker, a value that means "missing".
 * @param dtype the element type in which the operator compares a value with the marker
 */
function addMarkers(marker: number | string, dtype: DType, origins: Origins, checks: readonly InputChecks[]): void {
  const asKey = typeof marker === 'string' ? String : dtype === 'float32' ? asFloat32 : Number;
  const isMarker: Known = (value) => asKey(value) === marker;
  for (const origin of origins) if (isPlain(origin)) checks[origin.input]!.addMarker(origin.element, isMarker);
}

const asFloat32 = (value: unknown): number => Math.fround(Number(value));

function addRange(
  { least, greatest }: NonNullable<StepQuality['range']>,
  origins: Origins,
  checks: readonly InputChecks[],
): void {
  origins.forEach((origin, at) => {
    if (origin === undefined || Number.isNaN(least[at]!)) return;
    const [one, other] = [least[at]!, greatest[at]!].map((value) => (value - origin.offset) / origin.scale);
    checks[origin.input]!.addRange(origin.element, Math.min(one!, other!), Math.max(one!, other!));
  });
}
