import type { Drawing, DrawnModel, DrawnStage } from '@brezel/oven/explain-views';

/**
 * If at least this many models are equal, they are drawn as one model. Fewer equal models are drawn
 * separately, with their names and parameters.
 */
const LEAST_FOLDED = 5;

/** A stage as the picture shows it: one stage, or equal stages of several models in one box. */
export interface PictureStage extends DrawnStage {
  /** Set if the box represents equal stages of several models. */
  readonly folded?: {
    readonly stages: number;
    /** Bytes of the parameters of all these stages. Each parameter is counted once. */
    readonly parameterBytes: number;
  };
}

/** The box that shows the outputs of one model, or of several equal models drawn as one. */
export interface PictureModel extends DrawnModel {
  /** Names of the equal models, if the box represents several models. */
  readonly names?: readonly string[];
}

/** A drawing in which equal models are drawn as one. */
export interface Picture extends Omit<Drawing, 'stages' | 'models'> {
  readonly stages: readonly PictureStage[];
  readonly models: readonly PictureModel[];
}

/**
 * Folds equal models, so that a fleet of forty models fits a screen. Models are equal if their
 * stages have equal operators and kernels, and read equal inputs. Their parameters may differ.
 */
export function foldModels(drawing: Drawing): Picture {
  const classes = classesOf(drawing).filter((models) => models.length >= LEAST_FOLDED);
  if (classes.length === 0) return drawing;
  const hidden = new Set<string>();
  const folded = new Map<string, PictureStage['folded'] & object>();
  const names = new Map<string, readonly string[]>();
  for (const models of classes) {
    const own = models.map((model) => ownStages(drawing, model));
    own[0]!.forEach((stage, position) => {
      const stages = own.map((list) => list[position]!);
      const sizes = new Map(stages.flatMap(({ view }) => view.parameters.map(({ id, bytes }) => [id, bytes] as const)));
      const parameterBytes = [...sizes.values()].reduce((sum, bytes) => sum + bytes, 0);
      folded.set(stage.id, { stages: stages.length, parameterBytes });
    });
    for (const { id } of own.slice(1).flat()) hidden.add(id);
    const [first, ...others] = models.map((model) => drawing.models[model]!);
    names.set(
      first!.id,
      [first!, ...others].map(({ name }) => name),
    );
    for (const { id } of others) hidden.add(id);
  }
  return {
    ...drawing,
    stages: drawing.stages
      .filter(({ id }) => !hidden.has(id))
      .map((stage) => {
        const all = folded.get(stage.id);
        return all === undefined ? stage : { ...stage, title: foldedTitle(stage, all.stages), folded: all };
      }),
    models: drawing.models
      .filter(({ id }) => !hidden.has(id))
      .map((model) => {
        const all = names.get(model.id);
        return all === undefined ? model : { ...model, name: `${all.length} equal models`, names: all };
      }),
    edges: drawing.edges.filter(({ from, to }) => !hidden.has(from) && !hidden.has(to)),
  };
}

const foldedTitle = ({ view: { role } }: DrawnStage, models: number): string =>
  `${role[0]!.toUpperCase()}${role.slice(1)} of ${models} models`;

/** Returns the stages that only this model has. */
const ownStages = ({ stages }: Drawing, model: number): DrawnStage[] =>
  stages.filter(({ users }) => users.length === 1 && users[0] === model);

/** Groups the indices of equal models. */
function classesOf(drawing: Drawing): number[][] {
  const classes = new Map<string, number[]>();
  drawing.models.forEach((_, model) => {
    const key = JSON.stringify(structureOf(drawing, model));
    classes.set(key, [...(classes.get(key) ?? []), model]);
  });
  return [...classes.values()];
}

/**
 * Returns a value that describes the stages of a model and their inputs, without parameters and
 * names. Two models are equal if their values are equal.
 */
function structureOf(drawing: Drawing, model: number): unknown {
  const own = ownStages(drawing, model);
  const positions = new Map(own.map(({ id }, position) => [id, `own ${position}`]));
  const sourcesOf = (node: string) =>
    drawing.edges.filter(({ to }) => to === node).map(({ from, output }) => [positions.get(from) ?? from, output]);
  const { id, outputs } = drawing.models[model]!;
  return [own.map((stage) => [stageStructure(stage), sourcesOf(stage.id)]), sourcesOf(id), outputs];
}

function stageStructure({ view, outputs }: DrawnStage): unknown {
  const { role, engine, kernels, steps, placement } = view;
  const positions = new Map(steps.map(({ value }, position) => [value, position]));
  const lines = steps.map(({ operator, summary, kernel, inputs }) => [
    ...[operator, summary, kernel],
    inputs.map((value) => positions.get(value) ?? null),
  ]);
  return [role, engine, kernels, placement, lines, outputs];
}
