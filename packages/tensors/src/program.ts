import {
  type BlackBox,
  type BlackBoxRunner,
  elementCount,
  type RunnableTensors,
  type TensorKernels,
  type TensorLimits,
  type TensorPort,
  type TensorSlices,
} from '@brezel/core';
import type { TensorGraph } from './graph.js';
import { runTensorProgram, runTensorProgramLater } from './interpret.js';
import type { Tensor, TensorValue } from './tensor.js';

/**
 * A graph over whole tensors, interpreted node by node with shapes at run time. Use it for graphs
 * that a row program cannot express, because they mix rows or have no row axis. One request
 * supplies all inputs.
 *
 * Immutable. JavaScript memory holds its constants until the program is garbage collected.
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

  /** Number of nodes, including those of subgraphs. */
  get nodes(): number {
    return countNodes(this.graph);
  }

  /** Number of nodes that try a kernel first, including those of subgraphs. */
  get kernelNodes(): number {
    return countKernels(this.graph);
  }

  /** Number of constants, including those of subgraphs. */
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
    slices: TensorSlices,
    limits?: Partial<TensorLimits>,
    kernels?: TensorKernels,
  ): Promise<readonly (TensorValue | undefined)[]> {
    return runTensorProgramLater(this, inputs, runBox, slices, limits, kernels);
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

/** Returns the bytes of a tensor. A string takes two bytes per UTF-16 unit. */
function tensorBytes(tensor: Tensor): number {
  if (tensor.element !== 'string') return elementCount(tensor.shape) * tensor.data.BYTES_PER_ELEMENT;
  return tensor.data.reduce((sum, text) => sum + 2 * text.length, 0);
}
