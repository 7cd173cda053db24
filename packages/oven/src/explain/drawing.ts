import type { PlanMeasurementView, PlannedStageView, PlanView, PlanViews, PortView } from './plan-view.js';

/** An input of one or more models. Inputs with equal names and types are drawn once. */
export interface DrawnInput extends PortView {
  readonly id: string;
}

/** A stage of the drawing. A stage that several models share is drawn once. */
export interface DrawnStage {
  readonly id: string;
  /** What EXPLAIN shows about the stage in the first plan that uses it. */
  readonly view: PlannedStageView;
  /**
   * The title of the box, for example `Stage 1 · featurizer`. If several models are drawn, the
   * title is the role of the stage, with the name of the model if only one model runs the stage.
   */
  readonly title: string;
  /** Indices of the models that run the stage. */
  readonly users: readonly number[];
  /** The types of the stage's outputs, as texts. */
  readonly outputs: readonly string[];
}

/** The box with the outputs of a model. */
export interface DrawnModel {
  readonly id: string;
  readonly name: string;
  readonly outputs: readonly PortView[];
  readonly measured?: PlanMeasurementView;
}

/** An arrow of the drawing: a value that the box `from` computes and the box `to` reads. */
export interface DrawnEdge {
  readonly from: string;
  /** Index of the value among the outputs of `from`. */
  readonly output: number;
  readonly to: string;
}

/**
 * One or more plans as one graph, from which DOT and SVG pictures are drawn. Inputs and stages that
 * several plans share appear once.
 */
export interface Drawing {
  readonly name: string;
  readonly inputs: readonly DrawnInput[];
  readonly stages: readonly DrawnStage[];
  readonly models: readonly DrawnModel[];
  readonly edges: readonly DrawnEdge[];
  readonly views: PlanViews;
}

/** The origin of a value: an output of a stage, or an input, which has only output 0. */
type Source = Omit<DrawnEdge, 'to'>;

export function mergePlans(views: PlanViews): Drawing {
  const { plans } = views;
  const inputs = new Map<string, DrawnInput>();
  const stages = new Map<string, Omit<DrawnStage, 'title'>>();
  const edges = new Map<string, DrawnEdge>();
  const connect = (source: Source, to: string) =>
    edges.set(JSON.stringify([source.from, source.output, to]), { ...source, to });
  plans.forEach((plan, model) => {
    const sources = new Map<string, Source>();
    for (const { name, type, value } of plan.inputs) {
      const key = JSON.stringify([name, type]);
      if (!inputs.has(key)) inputs.set(key, { id: `input${inputs.size + 1}`, name, type });
      sources.set(value, { from: inputs.get(key)!.id, output: 0 });
    }
    for (const view of plan.stages) {
      const read = view.inputs.map((value) => sources.get(value)!);
      // The same stage with other inputs is drawn as another box.
      const key = JSON.stringify([view.key, read.map(({ from, output }) => [from, output])]);
      const known = stages.get(key) ?? { id: `stage${stages.size + 1}`, view, users: [], outputs: typesOf(view) };
      stages.set(key, { ...known, users: [...new Set([...known.users, model])] });
      for (const source of read) connect(source, known.id);
      view.outputs.forEach((value, output) => {
        sources.set(value, { from: known.id, output });
      });
    }
    for (const { value } of plan.outputs) connect(sources.get(value)!, modelId(model));
  });
  return {
    name: plans.length === 1 ? plans[0]!.name : `${plans.length} models`,
    inputs: [...inputs.values()],
    stages: [...stages.values()].map((stage) => ({ ...stage, title: titleOf(stage.view, stage.users, plans) })),
    models: plans.map((plan, index) => drawnModel(plan, index)),
    edges: [...edges.values()],
    views,
  };
}

const modelId = (index: number) => `model${index + 1}`;

function typesOf({ steps, outputs }: PlannedStageView): string[] {
  const types = new Map(steps.map((step) => [step.value, step.type]));
  return outputs.map((value) => types.get(value) ?? '');
}

function titleOf({ role, number }: PlannedStageView, users: readonly number[], plans: readonly PlanView[]): string {
  if (plans.length === 1) return `Stage ${number} · ${role}`;
  const word = `${role[0]!.toUpperCase()}${role.slice(1)}`;
  return users.length > 1 ? word : `${word} of ${plans[users[0]!]!.name}`;
}

const drawnModel = ({ name, outputs, measured }: PlanView, index: number): DrawnModel => ({
  id: modelId(index),
  name,
  outputs: outputs.map((output) => ({ name: output.name, type: output.type })),
  ...(measured && { measured }),
});
