import {
  type BlackBox,
  type BlackBoxRunner,
  elementCount,
  type RunnableTensors,
  type TensorKernels,
  type TensorLimits,
  type TensorPort,
} from '@brezel/core';
import type { TensorGraph } from './graph.js';
import { runTensorProgram, runTensorProgramLater } from './interpret.js';
import type { Tensor, TensorValue } from './tensor.js';

/**
 * A graph over whole tensors, interpreted node by node with shapes at run time: what a program by rows cannot say, because rows mix or there are
 * none. One request is all its inputs.
 *
 * Immutable. Its constants are held in JavaScript memory until it is garbage.
 */
export class TensorProgram implements RunnableTensors {
  readonly constantBytes: number;
  readonly blackBoxes: readonly BlackBox[];

  constructor(
    readonly name: string,
    readonly graph: TensorGraph,
    readonly inputs: readonly TensorPort[],
  ) {
    this.constantBytes = constantBytes(graph);
    this.blackBoxes = graph.nodes.flatMap(({ blackBox }) => blackBox ?? []);
  }

  get outputs(): readonly TensorPort[] {
    return this.graph.results;
  }

  /** Nodes, those of subgraphs included. */
  get nodes(): number {
    return countNodes(this.graph);
  }

  /** Nodes that ask a kernel of the addon first, those of subgraphs included. */
  get kernelNodes(): number {
    return countKernels(this.graph);
  }

  /** Constants, those of subgraphs included. */
  get constants(): number {
    return countConstants(this.graph);
  }

  run(
    inputs: readonly (TensorValue | undefined)[],
    limits?: Partial<TensorLimits>,
    kernels?: TensorKernels,
  ): readonly (TensorValue | undefined)[] {
    return runTensorProgram(this, inputs, limits, kernels);
  }

  runLater(
    inputs: readonly (TensorValue | undefined)[],
    runBox: BlackBoxRunner,
    limits?: Partial<TensorLimits>,
    kernels?: TensorKernels,
  ): Promise<readonly (TensorValue | undefined)[]> {
    return runTensorProgramLater(this, inputs, runBox, limits, kernels);
  }
}

const bodiesOf = (graph: TensorGraph) => graph.nodes.flatMap((node) => Object.values(node.bodies));

const countNodes = (graph: TensorGraph): number =>
  bodiesOf(graph).reduce((sum, body) => sum + countNodes(body), graph.nodes.length);

const countKernels = (graph: TensorGraph): number =>
  bodiesOf(graph).reduce(
    (sum, body) => sum + countKernels(body),
    graph.nodes.filter(({ execute, blackBox }) => blackBox === undefined && execute.kernel !== undefined).length,
  );

const countConstants = (graph: TensorGraph): number =>
  bodiesOf(graph).reduce((sum, body) => sum + countConstants(body), graph.constants.length);

function constantBytes(graph: TensorGraph): number {
  const own = graph.constants.reduce((sum, { tensor }) => sum + tensorBytes(tensor), 0);
  return bodiesOf(graph).reduce((sum, body) => sum + constantBytes(body), own);
}

/** Strings count two bytes a character. */
function tensorBytes(tensor: Tensor): number {
  if (tensor.element !== 'string') return elementCount(tensor.shape) * tensor.data.BYTES_PER_ELEMENT;
  return tensor.data.reduce((sum, text) => sum + 2 * text.length, 0);
}
