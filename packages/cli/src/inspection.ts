import {
  type BlackBox,
  type OwnedPlan,
  type PhysicalStage,
  type PlannedStage,
  printPort,
  printType,
} from '@brezel/core';
import type { FleetContents } from '@brezel/fleet-file';
import type { FlourContext } from '@brezel/flour';
import type { ObjectStore } from '@brezel/object-store';
import type { RegisteredPlan, Runtime, RuntimeStatistics } from '@brezel/runtime';
import type { Fleet, ImportedModel } from 'brezel';
import type { AnyFileModel } from 'brezel/internal';

export interface PortFacts {
  readonly name: string;
  readonly type: string;
}

/**
 * The information that `inspect` prints about a black box: its inputs, its outputs, and its nodes,
 * each with the reason why Brezel does not run it.
 */
export interface BlackBoxFacts {
  readonly nodes: BlackBox['nodes'];
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
}

/** The information that `inspect` prints about one model. */
export interface ModelFacts {
  readonly file: string;
  readonly name: string;
  readonly producer: string;
  /** The version of the ONNX file format. `irVersion` and `opsets` are set only for ONNX files. */
  readonly irVersion?: number;
  readonly opsets?: Readonly<Record<string, number>>;
  readonly fileBytes?: number;
  readonly inputs: readonly PortFacts[];
  readonly outputs: readonly PortFacts[];
  /**
   * For a model file, the number of nodes of each operator, such as `ai.onnx:Gemm`. For a plan of a
   * fleet file, the number of uses of each operator of Brezel.
   */
  readonly operators: Readonly<Record<string, number>>;
  /**
   * `row`: the model is compiled and runs row by row. `tensor`: it runs as a tensor program, and
   * `why` has the reason.
   */
  readonly kind: 'row' | 'tensor';
  readonly why?: string;
  readonly engine: RegisteredPlan['engine'];
  /** Number of stages. It is 0 for a tensor program, which has nodes instead. */
  readonly stages: number;
  readonly nodes?: number;
  /**
   * For a tensor program, the number of nodes whose operator has a kernel in the addon. The addon
   * runs such a node if it supports the element types and shapes.
   */
  readonly kernelNodes?: number;
  /** Parts of the program that another runtime runs, in execution order. */
  readonly blackBoxes?: readonly BlackBoxFacts[];
  /**
   * The parameters of the compiled plan, after the rules of Oven have changed them. For a tensor
   * program, its constants.
   */
  readonly parameters: { readonly objects: number; readonly bytes: number };
  readonly warnings: readonly string[];
  /** How each ONNX node was converted. Set with `--verbose`. */
  readonly conversions?: ImportedModel['conversions'];
}

/** A stage that several models share. */
export interface SharedStage {
  /** The first digits of the stage's key, as EXPLAIN shows them. */
  readonly key: string;
  readonly role: PhysicalStage['role'];
  readonly operators: readonly string[];
  readonly parameterBytes: number;
  readonly models: number;
}

/** The information that `inspect` prints about a fleet file. */
export interface FileFacts extends FleetContents {
  readonly file: string;
  readonly bytes: number;
}

/** The information that `inspect` prints about several models together. */
export interface FleetFacts {
  readonly models: number;
  readonly stages: RuntimeStatistics['stages'];
  readonly parameters: RuntimeStatistics['parameters'];
  readonly sharedStages: readonly SharedStage[];
}

/**
 * The information that `inspect` prints about a model, and the stages of the model's plan. The plan
 * stays registered.
 */
export interface InspectedModel {
  readonly facts: ModelFacts;
  readonly stages: readonly PlannedStage[];
}

const SHOWN_KEY_DIGITS = 8;

/**
 * Compiles and registers a model, and returns what `inspect` reports about it. The plan stays
 * registered, so that the runtime can count what several models share.
 */
export function inspectModel(file: string, model: AnyFileModel, runtime: Runtime, verbose = false): InspectedModel {
  const { producer, fileBytes, operators, warnings } = model;
  const { irVersion, opsets } = model;
  const ofOnnx = irVersion === undefined || opsets === undefined ? {} : { irVersion, opsets };
  const about = { file, producer, ...ofOnnx, fileBytes, operators, warnings };
  if (model.kind === 'tensor') return { facts: { ...about, ...tensorFacts(model) }, stages: [] };
  const { program, blackBoxes, conversions } = model;
  return inspectPlan(program.plan(), program.context.store, runtime, {
    ...about,
    ...boxFacts(blackBoxes),
    ...(verbose && conversions !== undefined && { conversions }),
  });
}

function tensorFacts({ program, why }: AnyFileModel & { readonly kind: 'tensor' }) {
  const { name, inputs, outputs, nodes, kernelNodes, constants, constantBytes, blackBoxes } = program;
  const port = (one: (typeof inputs)[number]): PortFacts => ({ name: one.name, type: printPort(one) });
  return {
    name,
    kind: 'tensor' as const,
    why: why.message,
    inputs: inputs.map(port),
    outputs: outputs.map(port),
    engine: 'javascript' as const,
    stages: 0,
    nodes,
    kernelNodes,
    ...boxFacts(blackBoxes),
    parameters: { objects: constants, bytes: constantBytes },
  };
}

const boxFacts = (boxes: readonly BlackBox[] = []): Pick<ModelFacts, 'blackBoxes'> =>
  boxes.length === 0
    ? {}
    : {
        blackBoxes: boxes.map(({ nodes, inputs, outputs }) => ({
          nodes,
          inputs: inputs.map(({ name }) => name),
          outputs,
        })),
      };

export const fileFacts = ({ path, bytes, contents }: Fleet): FileFacts => ({ file: path, bytes, ...contents });

/** Inspects the plans of a fleet file one by one. */
export function inspectPlans(fleet: Fleet, runtime: Runtime): InspectedModel[] {
  return fleet.names.map((name) => {
    const compiled = fleet.plan(name);
    const operators: Record<string, number> = {};
    for (const { operator } of compiled.stages.flatMap(({ stage }) => stage.steps))
      operators[operator] = (operators[operator] ?? 0) + 1;
    const { producer } = fleet;
    return inspectPlan(compiled, fleet.store, runtime, {
      file: `${fleet.path}#${name}`,
      producer,
      operators,
      warnings: [],
    });
  });
}

/**
 * The number of plans that this process has inspected. The name of each registered plan ends with
 * this number, because names are unique in a runtime.
 */
let registrations = 0;

/** Registers a plan and returns what `inspect` reports about it. Releases the compiled plan. */
function inspectPlan(
  compiled: OwnedPlan,
  store: ObjectStore,
  runtime: Runtime,
  about: Pick<
    ModelFacts,
    'file' | 'producer' | 'irVersion' | 'opsets' | 'fileBytes' | 'operators' | 'warnings' | 'blackBoxes' | 'conversions'
  >,
): InspectedModel {
  try {
    // models of several files may have one name
    const plan = runtime.register(compiled, { name: `${compiled.name} (${++registrations})` });
    const bytes = compiled.parameters.reduce((sum, id) => sum + store.info(id).bytes, 0);
    const facts: ModelFacts = {
      ...about,
      name: compiled.name,
      kind: 'row',
      inputs: plan.inputs.map(portFacts),
      outputs: plan.outputs.map(portFacts),
      engine: plan.engine,
      stages: compiled.stages.length,
      parameters: { objects: compiled.parameters.length, bytes },
    };
    return { facts, stages: compiled.stages };
  } finally {
    compiled.release();
  }
}

const portFacts = ({ name, type }: RegisteredPlan['inputs'][number]): PortFacts => ({ name, type: printType(type) });

/**
 * Returns what the models share. The list of shared stages starts with the stage that most models
 * use.
 */
export function inspectFleet(models: readonly InspectedModel[], runtime: Runtime, flour: FlourContext): FleetFacts {
  const users = new Map<string, { stage: PhysicalStage; models: number }>();
  for (const { stages } of models) {
    for (const stage of new Map(stages.map(({ stage }) => [stage.key, stage])).values())
      users.set(stage.key, { stage, models: (users.get(stage.key)?.models ?? 0) + 1 });
  }
  const shared = [...users.values()].filter((use) => use.models > 1).sort((a, b) => b.models - a.models);
  const { stages, parameters } = runtime.stats();
  return {
    models: models.length,
    stages,
    parameters,
    sharedStages: shared.map(({ stage, models }) => ({
      key: stage.key.slice(0, SHOWN_KEY_DIGITS),
      role: stage.role,
      operators: stage.steps.map((step) => step.operator),
      parameterBytes: parameterBytes(stage, flour),
      models,
    })),
  };
}

function parameterBytes({ steps, calls }: PhysicalStage, { store }: FlourContext): number {
  const ofSteps = steps.flatMap((step) => Object.values(step.parameters));
  const ofCalls = (calls ?? []).flatMap((call) => call.parameters);
  return [...new Set([...ofSteps, ...ofCalls])].reduce((sum, id) => sum + store.info(id).bytes, 0);
}
