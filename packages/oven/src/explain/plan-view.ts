import {
  BLACK_BOX,
  type PhysicalStage,
  type PlanMeasurement,
  printType,
  type StageMeasurement,
  type StoppedRules,
} from '@brezel/core';
import type { Explanation } from './explanation.js';
import { withFloatSums } from './float-sums.js';
import { type PlacementView, viewPlacement } from './placement.js';
import { type ParameterView, type StageView, viewStage } from './stage-view.js';

export interface PortView {
  readonly name: string;
  readonly type: string;
}

/** A stage of a plan as EXPLAIN shows it, with the number of other plans that use it. */
export interface PlannedStageView extends Omit<StageView, 'parameters'> {
  /** Number of other plans that use the same stage. */
  readonly sharedWith: number;
  /**
   * The parameters of the stage. `usedBy` is the number of different stages, in all shown plans,
   * that use the parameter.
   */
  readonly parameters: readonly (ParameterView & { readonly usedBy: number })[];
  /** Where the stage runs. Set if the caller passed the option `place`. */
  readonly placement?: PlacementView;
  /**
   * The measurement of the stage. `share` is its median time divided by the sum of the median times
   * of all stages and the time outside stages.
   */
  readonly measured?: Omit<StageMeasurement, 'key' | 'engine' | 'parameterBytes'> & { readonly share: number };
}

/**
 * The measurement of a plan without its stages. `restShare` is the fraction of the time that the
 * plan spends outside its stages.
 */
export type PlanMeasurementView = Omit<PlanMeasurement, 'stages'> & { readonly restShare: number };

/** The printable description of a plan. */
export interface PlanView {
  readonly name: string;
  /**
   * The inputs of the plan. `value` is the name under which the stages show the input. The name has
   * quotes if another value could have the same name.
   */
  readonly inputs: readonly (PortView & { readonly value: string })[];
  readonly stages: readonly PlannedStageView[];
  readonly outputs: readonly (PortView & { readonly value: string })[];
  readonly parameterBytes: number;
  /** Numbers of the stages that run in JavaScript because an operator has no kernel. */
  readonly javascriptStages: readonly number[];
  /** Numbers of the stages that another runtime runs. Undefined if no such stage exists. */
  readonly blackBoxStages?: readonly number[];
  /** The optional rules that Oven stopped. Undefined unless the program is very long. */
  readonly stoppedRules?: StoppedRules;
  readonly measured?: PlanMeasurementView;
}

const hasBlackBox = ({ steps }: PhysicalStage): boolean => steps.some(({ operator }) => operator === BLACK_BOX);

/**
 * Totals over several plans. Each total is given in two ways: shared stages and parameters are
 * counted once, or once for each plan.
 */
export interface FleetView {
  readonly models: number;
  readonly stages: { readonly distinct: number; readonly used: number };
  readonly parameters: { readonly bytes: number; readonly unsharedBytes: number };
}

/** The printable forms of several plans, and of the stages and parameters that they share. */
export interface PlanViews {
  readonly plans: readonly PlanView[];
  readonly fleet: FleetView;
}

export function viewPlans(explanations: readonly Explanation[]): PlanViews {
  const users = countUsers(explanations);
  const plans = explanations.map((explanation) => viewPlan(explanation, users));
  const sizes = new Map(
    plans
      .flatMap((plan) => plan.stages.flatMap((stage) => stage.parameters))
      .map((parameter) => [parameter.id, parameter.bytes]),
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
  /** For each key of a stage, the indices of the plans that use the stage. */
  readonly plansOfStage: ReadonlyMap<string, ReadonlySet<number>>;
  /** For each id of a parameter, the keys of the stages that use the parameter. */
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
      parameters: view.parameters.map((parameter) => ({
        ...parameter,
        usedBy: users.stagesOfParameter.get(parameter.id)!.size,
      })),
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
    stages: withFloatSums(stages, store),
    outputs: plan.outputs.map(({ name, type, slot }) => ({ name, type: printType(type), value: names[slot]! })),
    parameterBytes: plan.parameters.reduce((total, id) => total + store.info(id).bytes, 0),
    javascriptStages: plan.stages.flatMap(({ stage }, index) =>
      stage.calls === undefined && !hasBlackBox(stage) ? [index + 1] : [],
    ),
    ...(boxes.length > 0 && { blackBoxStages: boxes }),
    ...(plan.stoppedRules && { stoppedRules: plan.stoppedRules }),
    ...(measurement && { measured: viewMeasurement(measurement, sum!) }),
  };
}

const inputValue = (name: string) => (/^"|^s\d+\.\d+$/.test(name) ? JSON.stringify(name) : name);

function viewMeasurement(measurement: PlanMeasurement, sum: number): PlanMeasurementView {
  const { engine, isa, rows, blockRows, repetitions, total, rest, observed, quality } = measurement;
  const run = { engine, ...(isa !== undefined && { isa }), rows, blockRows, repetitions };
  const found = quality !== undefined && { quality };
  return { ...run, total, rest, observed, restShare: rest.median / sum, ...found };
}
