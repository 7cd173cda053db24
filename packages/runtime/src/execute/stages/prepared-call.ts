import type { Block, FastKernel, KernelCall, KernelTable, PhysicalStage } from '@brezel/core';
import type { ObjectStore } from '@brezel/object-store';
import type { PlanBoxes } from '../plan-boxes.js';

/**
 * The kernels that a JavaScript engine uses: only `reference` kernels, or with `javascript` the
 * fast kernels where they exist.
 */
export type JavaScriptMode = 'reference' | 'javascript';

/** One kernel call of a stage, with its parameters already read from the store. */
export interface PreparedCall {
  readonly output: number;
  run(local: readonly Block[], rows: number): Block;
  /** Runs a black box asynchronously. Other kernels do not have this method. */
  runLater?(local: readonly Block[], signal: AbortSignal | undefined): Promise<Block>;
}

/** Returns the kernel calls of a stage in execution order. */
export function prepareStage(
  stage: PhysicalStage,
  mode: JavaScriptMode,
  kernels: KernelTable,
  store: ObjectStore,
  boxes: PlanBoxes | undefined,
): PreparedCall[] {
  const step = (index: number) => prepareStep(stage, index, kernels, store, boxes);
  if (mode === 'reference' || stage.calls === undefined) return stage.steps.map((_, index) => step(index));
  return stage.calls.flatMap((call) => prepareFast(stage, call, kernels, store) ?? call.steps.map(step));
}

function prepareStep(
  stage: PhysicalStage,
  index: number,
  kernels: KernelTable,
  store: ObjectStore,
  boxes: PlanBoxes | undefined,
): PreparedCall {
  const box = boxes?.of(stage.steps[index]!);
  const { operator, version, inputs, type, attributes, parameters: ids } = stage.steps[index]!;
  const kernel = kernels.reference(operator, version)!;
  const types = [...stage.inputs, ...stage.steps.map((step) => step.type)];
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

/**
 * Returns the fast kernel with this name, or undefined if there is none. A fleet file chooses the
 * name, so names of `Object.prototype`, such as `toString`, must not be found.
 */
export const fastKernelOf = ({ fast }: KernelTable, name: string): FastKernel | undefined =>
  Object.hasOwn(fast, name) ? fast[name] : undefined;

function prepareFast(
  stage: PhysicalStage,
  { kernel: name, inputs, output, attributes, parameters: ids }: KernelCall,
  kernels: KernelTable,
  store: ObjectStore,
): PreparedCall | undefined {
  const kernel = fastKernelOf(kernels, name);
  if (kernel === undefined) return undefined;
  const { type } = stage.steps[output - stage.inputs.length]!;
  const parameters = ids.map((id) => store.bytes(id));
  return {
    output,
    run: (local, rows) => kernel({ rows, inputs: inputs.map((slot) => local[slot]!), type, attributes, parameters }),
  };
}
