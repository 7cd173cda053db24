import { createHash } from 'node:crypto';
import type {
  CompiledPlan,
  KernelCall,
  ParameterId,
  ParameterValue,
  PhysicalStage,
  PlannedStage,
  Step,
} from '@brezel/core';
import type { Part } from './parts.js';
import type { PlanGraph, Unit } from './plan-graph.js';
import { shareOfNanos } from './share-of-nanos.js';

type Parameters = (id: ParameterId) => ParameterValue;

/**
 * Returns an equivalent plan with one stage for each part, in the order of the parts. If a part is
 * a whole stage, the stage stays unchanged.
 */
export function rebuilt(graph: PlanGraph, parts: readonly Part[], parameters: Parameters): CompiledPlan {
  const { plan } = graph;
  const wanted = wantedValues(graph, parts);
  const slots = new Map(plan.inputs.map((_, slot) => [slot, slot]));
  const stages = parts.map((part, index): PlannedStage => {
    const written = wanted[index]!;
    const built = sameStage(graph, part) ?? newStage(graph, part, written, parameters);
    const inputs = built.reads.map((value) => slots.get(value)!);
    const outputs = (built.writes ?? written).map((value) => {
      slots.set(value, slots.size);
      return slots.size - 1;
    });
    return { stage: built.stage, marks: built.marks, inputs, outputs };
  });
  const outputs = plan.outputs.map((port) => ({ ...port, slot: slots.get(graph.valueOfPlanSlot(port.slot))! }));
  return { ...plan, outputs, stages };
}

interface MadeStage extends Pick<PlannedStage, 'stage' | 'marks'> {
  readonly reads: readonly number[];
  /**
   * The values that the stage outputs. Set only for a stage that stays unchanged. A new stage
   * outputs the values of `wantedValues`.
   */
  readonly writes?: readonly number[];
}

/**
 * Returns, for each part, the values that it must output, because other parts or outputs of the
 * plan read them.
 */
function wantedValues(graph: PlanGraph, parts: readonly Part[]): number[][] {
  const readers = new Map<number, Set<number>>();
  parts.forEach(({ units }, index) => {
    for (const unit of units)
      for (const value of graph.units[unit]!.reads) readers.set(value, (readers.get(value) ?? new Set()).add(index));
  });
  const returned = new Set(graph.plan.outputs.map(({ slot }) => graph.valueOfPlanSlot(slot)));
  return parts.map(({ units }, index) =>
    valuesOf(graph, units).filter(
      (value) => returned.has(value) || [...(readers.get(value) ?? [])].some((reader) => reader !== index),
    ),
  );
}

const valuesOf = (graph: PlanGraph, units: readonly number[]): number[] =>
  units.flatMap((unit) => {
    const { stage, steps } = graph.units[unit]!;
    return steps.map((step) => graph.valueOfStep(stage, step));
  });

function sameStage(graph: PlanGraph, { units }: Part): MadeStage | undefined {
  const [first] = units.map((unit) => graph.units[unit]!.stage);
  const { stage, marks, inputs } = graph.plan.stages[first!]!;
  if (valuesOf(graph, units).length !== stage.steps.length) return undefined;
  if (units.some((unit) => graph.units[unit]!.stage !== first)) return undefined;
  const reads = inputs.map((slot) => graph.valueOfPlanSlot(slot));
  return { stage, marks, reads, writes: stage.outputs.map((slot) => graph.valueOf(first!, slot)) };
}

function newStage(graph: PlanGraph, { units }: Part, written: readonly number[], parameters: Parameters): MadeStage {
  const own = valuesOf(graph, units);
  const members = units.map((unit) => graph.units[unit]!);
  const reads = [...new Set(members.flatMap((unit) => unit.reads))].filter((value) => !own.includes(value));
  const slots = new Map([...reads, ...own].map((value, slot) => [value, slot]));
  const stages = members.map((unit) => graph.plan.stages[unit.stage]!);
  const shape = {
    inputs: reads.map((value) => graph.typeOf(value)),
    ...movedSteps(graph, members, slots, reads.length),
    outputs: written.map((value) => slots.get(value)!),
  };
  const isModel = stages.some(({ stage }) => stage.role === 'model');
  return {
    reads,
    stage: { ...identityOf(shape), role: isModel ? 'model' : 'featurizer', ...shape },
    marks: {
      maxVectorSizes: written.map(() => Number.POSITIVE_INFINITY),
      vectorizable: stages.every(({ marks }) => marks.vectorizable),
      materializable: false,
      nanosPerRow: members.reduce((sum, unit) => sum + shareOfNanos(graph, unit, parameters), 0),
    },
  };
}

/**
 * Returns the operators and kernel calls of units after changing their slot numbers to the slots of
 * their new stage.
 */
function movedSteps(
  graph: PlanGraph,
  members: readonly Unit[],
  slots: ReadonlyMap<number, number>,
  inputs: number,
): Pick<PhysicalStage, 'steps' | 'calls'> {
  const slotIn = (stage: number) => (slot: number) => slots.get(graph.valueOf(stage, slot))!;
  const steps = members.flatMap((unit) =>
    graph.stepsOf(unit).map((step): Step => ({ ...step, inputs: step.inputs.map(slotIn(unit.stage)) })),
  );
  if (members.some(({ calls }) => calls === undefined)) return { steps, calls: undefined };
  const calls = members.flatMap(({ stage, calls }) =>
    calls!.map((call): KernelCall => {
      const placeOf = (step: number) => slots.get(graph.valueOfStep(stage, step))! - inputs;
      const slotOf = slotIn(stage);
      return { ...call, inputs: call.inputs.map(slotOf), output: slotOf(call.output), steps: call.steps.map(placeOf) };
    }),
  );
  return { steps, calls };
}

/**
 * Computes the key of a stage as Oven does. Plans share the stages that have equal keys.
 */
function identityOf(
  shape: Pick<PhysicalStage, 'inputs' | 'steps' | 'outputs' | 'calls'>,
): Pick<PhysicalStage, 'key' | 'program'> {
  const { inputs, outputs, steps, calls = [] } = shape;
  const program = hashOf([
    inputs,
    outputs,
    steps.map(({ operator, version, attributes, inputs, type }) => [operator, version, attributes, inputs, type]),
    calls.map(({ kernel, inputs, output, attributes, steps }) => [kernel, inputs, output, attributes, steps]),
  ]);
  const parameters = [
    steps.map((step) => Object.entries(step.parameters).sort()),
    calls.map((call) => call.parameters),
  ];
  return { program, key: hashOf([program, parameters]) };
}

const hashOf = (value: unknown): string =>
  createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 32);
