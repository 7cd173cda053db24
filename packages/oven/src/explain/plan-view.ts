import { BLACK_BOX, type PhysicalStage, type PlanMeasurement, printType, type StageMeasurement } from '@brezel/core';
import type { Explanation } from './explanation.js';
import { type PlacementView, viewPlacement } from './placement.js';
import { type ParameterView, type StageView, viewStage } from './stage-view.js';

export interface PortView {
  readonly name: string;
  readonly type: string;
}

/** A stage as it stands among the stages of all plans that are explained together. */
export interface PlannedStageView extends Omit<StageView, 'parameters'> {
  /** Number of other plans that run this very stage. */
  readonly sharedWith: number;
  /** `usedBy`: number of distinct stages, in all plans, that hold this parameter. */
  readonly parameters: readonly (ParameterView & { readonly usedBy: number })[];
  /** Where it runs, where that was asked. */
  readonly placement?: PlacementView;
  /** What was measured of it; `share` is that of its median in all medians. */
  readonly measured?: Omit<StageMeasurement, 'key' | 'engine' | 'parameterBytes'> & { readonly share: number };
}

/** What was measured of a plan around its stages. */
export type PlanMeasurementView = Omit<PlanMeasurement, 'stages'> & { readonly restShare: number };

/** A plan in words. */
export interface PlanView {
  readonly name: string;
  /** `value` is what it is called in the stages: its name, in quotes where that could be taken for the name of another value. */
  readonly inputs: readonly (PortView & { readonly value: string })[];
  readonly stages: readonly PlannedStageView[];
  readonly outputs: readonly (PortView & { readonly value: string })[];
  readonly parameterBytes: number;
  /** Numbers of the stages that have an operator without a kernel: they run in JavaScript. */
  readonly javascriptStages: readonly number[];
  /** Numbers of the stages that a backend runs, where there are any. */
  readonly blackBoxStages?: readonly number[];
  readonly measured?: PlanMeasurementView;
}

const hasBlackBox = ({ steps }: PhysicalStage): boolean => steps.some(({ operator }) => operator === BLACK_BOX);

/** Several plans together: each shared thing counted once, and as often as it is used. */
export interface FleetView {
  readonly models: number;
  readonly stages: { readonly distinct: number; readonly used: number };
  readonly parameters: { readonly bytes: number; readonly unsharedBytes: number };
}

/** Plans in words, and what they share. */
export interface PlanViews {
  readonly plans: readonly PlanView[];
  readonly fleet: FleetView;
}

export function viewPlans(explanations: readonly Explanation[]): PlanViews {
  const users = countUsers(explanations);
  const plans = explanations.map((explanation) => viewPlan(explanation, users));
  const sizes = new Map(
    plans.flatMap((plan) => plan.stages.flatMap((stage) => stage.parameters)).map((one) => [one.id, one.bytes]),
  );
  const bytes = [...sizes.values()].reduce((sum, size) => sum + size, 0);
  return {
    plans,
    fleet: {
      models: plans.length,
      stages: { distinct: users.plansOfStage.size, used: plans.reduce((sum, plan) => sum + plan.stages.length, 0) },
      parameters: { bytes, unsharedBytes: plans.reduce((sum, plan) => sum + plan.parameterBytes, 0) },
    },
  };
}

interface Users {
  /** Plans by stage key, and stages by parameter. */
  readonly plansOfStage: ReadonlyMap<string, ReadonlySet<number>>;
  readonly stagesOfParameter: ReadonlyMap<string, ReadonlySet<string>>;
}

function countUsers(explanations: readonly Explanation[]): Users {
  const plansOfStage = new Map<string, Set<number>>();
  const stagesOfParameter = new Map<string, Set<string>>();
  explanations.forEach(({ plan }, at) => {
    for (const { stage } of plan.stages) {
      add(plansOfStage, stage.key, at);
      for (const step of stage.steps)
        for (const id of Object.values(step.parameters)) add(stagesOfParameter, id, stage.key);
      for (const call of stage.calls ?? []) for (const id of call.parameters) add(stagesOfParameter, id, stage.key);
    }
  });
  return { plansOfStage, stagesOfParameter };
}

function add<K, V>(sets: Map<K, Set<V>>, key: K, value: V): void {
  const set = sets.get(key);
  if (set === undefined) sets.set(key, new Set([value]));
  else set.add(value);
}

function viewPlan({ program, name, plan, measurement, placement }: Explanation, users: Users): PlanView {
  const { store } = program.context;
  const names: string[] = plan.inputs.map((input) => inputValue(input.name));
  const medians = measurement && [...measurement.stages.map((stage) => stage.nanoseconds), measurement.rest];
  const sum = medians?.reduce((total, time) => total + time.median, 0);
  const stages = plan.stages.map(({ stage, inputs, outputs }, index): PlannedStageView => {
    const read = inputs.map((slot) => names[slot]!);
    const view = viewStage(stage, index + 1, read, `s${index + 1}.`, store);
    outputs.forEach((slot, at) => {
      names[slot] = view.outputs[at]!;
    });
    const measured = measurement?.stages[index];
    return {
      ...view,
      engine: measured?.engine ?? view.engine,
      sharedWith: users.plansOfStage.get(stage.key)!.size - 1,
      parameters: view.parameters.map((one) => ({ ...one, usedBy: users.stagesOfParameter.get(one.id)!.size })),
      ...(placement && { placement: viewPlacement(placement[index]!, view) }),
      ...(measured && {
        measured: {
          nanoseconds: measured.nanoseconds,
          share: measured.nanoseconds.median / sum!,
          bytesRead: measured.bytesRead,
          bytesWritten: measured.bytesWritten,
        },
      }),
    };
  });
  const boxes = plan.stages.flatMap(({ stage }, index) => (hasBlackBox(stage) ? [index + 1] : []));
  return {
    name,
    inputs: plan.inputs.map(({ name, type }) => ({ name, type: printType(type), value: inputValue(name) })),
    stages,
    outputs: plan.outputs.map(({ name, type, slot }) => ({ name, type: printType(type), value: names[slot]! })),
    parameterBytes: plan.parameters.reduce((total, id) => total + store.info(id).bytes, 0),
    javascriptStages: plan.stages.flatMap(({ stage }, index) =>
      stage.calls === undefined && !hasBlackBox(stage) ? [index + 1] : [],
    ),
    ...(boxes.length > 0 && { blackBoxStages: boxes }),
    ...(measurement && { measured: viewMeasurement(measurement, sum!) }),
  };
}

const inputValue = (name: string) => (/^"|^s\d+\.\d+$/.test(name) ? JSON.stringify(name) : name);

function viewMeasurement(measurement: PlanMeasurement, sum: number): PlanMeasurementView {
  const { engine, isa, rows, blockRows, repetitions, total, rest, observed } = measurement;
  const run = { engine, ...(isa !== undefined && { isa }), rows, blockRows, repetitions };
  return { ...run, total, rest, observed, restShare: rest.median / sum };
}
