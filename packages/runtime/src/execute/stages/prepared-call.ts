import type { Block, KernelTable, PhysicalStage, ValueType } from '@brezel/core';
import type { ObjectStore } from '@brezel/object-store';
import type { PlanBoxes } from '../plan-boxes.js';

/** One operator of a stage, with its parameters already read from the store. */
export interface PreparedCall {
  readonly output: number;
  run(local: readonly Block[], rows: number): Block;
  /** Runs a black box asynchronously. Other kernels do not have this method. */
  runLater?(local: readonly Block[], signal: AbortSignal | undefined): Promise<Block>;
}

/** Returns the operators of a stage in execution order, with their reference kernels. */
export function prepareStage(
  stage: PhysicalStage,
  kernels: KernelTable,
  store: ObjectStore,
  boxes: PlanBoxes | undefined,
): PreparedCall[] {
  const types = [...stage.inputs, ...stage.steps.map(({ type }) => type)];
  return stage.steps.map((_, index) => prepareStep(stage, index, types, kernels, store, boxes));
}

function prepareStep(
  stage: PhysicalStage,
  index: number,
  types: readonly ValueType[],
  kernels: KernelTable,
  store: ObjectStore,
  boxes: PlanBoxes | undefined,
): PreparedCall {
  const box = boxes?.of(stage.steps[index]!);
  const { operator, version, inputs, type, attributes, parameters: ids } = stage.steps[index]!;
  const kernel = kernels.reference(operator, version)!;
  const inputTypes = inputs.map((slot) => types[slot]!);
  // A black box gets no parameters, because the backend holds its model.
  const parameters = Object.fromEntries(
    Object.entries(box === undefined ? ids : {}).map(([name, id]) => [name, store.get(id)]),
  );
  return {
    output: stage.inputs.length + index,
    ...(box !== undefined && {
      runLater: (local: readonly Block[], signal: AbortSignal | undefined) =>
        box.run(
          inputs.map((slot) => local[slot]!),
          inputTypes,
          signal,
        ),
    }),
    run: (local, rows) =>
      kernel({ rows, inputs: inputs.map((slot) => local[slot]!), inputTypes, type, attributes, parameters }),
  };
}
