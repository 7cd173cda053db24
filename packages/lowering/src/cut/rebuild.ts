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

/** The same plan with a stage for each part, in the order of the parts. A part that is a whole stage stays that stage. */
export function rebuilt(graph: PlanGraph, parts: readonly Part[], parameters: Parameters): CompiledPlan {
  const { plan } = graph;
  const wanted = wantedValues(graph, parts);
  const slots = new Map(plan.inputs.map((_, slot) => [slot, slot]));
  const stages = parts.map((part, at): PlannedStage => {
    const written = wanted[at]!;
    const made = sameStage(graph, part) ?? newStage(graph, part, written, parameters);
    const inputs = made.reads.map((value) => slots.get(value)!);
    const outputs = (made.writes ?? written).map((value) => {
      slots.set(value, slots.size);
      return slots.size - 1;
    });
    return { stage: made.stage, marks: made.marks, inputs, outputs };
  });
  const outputs = plan.outputs.map((port) => ({ ...port, slot: slots.get(graph.valueOfPlanSlot(port.slot))! }));
  return { ...plan, outputs, stages };
}

interface MadeStage extends Pick<PlannedStage, 'stage' | 'marks'> {
  readonly reads: readonly number[];
  /** Where they are not those that others want. */
  readonly writes?: readonly number[];
}

/** Values of each part that other parts or the caller read, in order. */
function wantedValues(graph: PlanGraph, parts: readonly Part[]): number[][] {
  const readers = new Map<number, Set<number>>();
  parts.forEach(({ units }, at) => {
    for (const unit of units)
      for (const value of graph.units[unit]!.reads) readers.set(value, (readers.get(value) ?? new Set()).add(at));
  });
  const given = new Set(graph.plan.outputs.map(({ slot }) => graph.valueOfPlanSlot(slot)));
  return parts.map(({ units }, at) =>
    valuesOf(graph, units).filter(
      (value) => given.has(value) || [...(readers.get(value) ?? [])].some((one) => one !== at),
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

/** Operators and calls of units, over the slots of the stage that they become. */
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

/** As Oven tells stages apart: equal keys are one stage in all plans. */
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
