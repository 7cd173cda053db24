import {
  type BlackBoxRunner,
  BrezelError,
  elementCount,
  type TensorKernels,
  type TensorLimits,
  type TensorPort,
  type TensorSlices,
} from '@brezel/core';
import { atOnce } from './control/at-once.js';
import type { Budget } from './define.js';
import { tensorError } from './errors.js';
import type { NodeCall, TensorBody, TensorSteps } from './executable.js';
import type { TensorGraph, TensorNode } from './graph.js';
import type { TensorValue } from './tensor.js';

/** The default limits of one request of a tensor program. */
export const defaultTensorLimits: TensorLimits = { maxElements: 2 ** 26, maxSteps: 1_000_000 };

const VALUES_A_STEP = 64;

type Values = readonly (TensorValue | undefined)[];
type Frame = (TensorValue | undefined)[];

/**
 * Runs a tensor program node by node, in order. A value is released after its last use.
 *
 * @param inputs in the order of `program.inputs`, checked by the caller. A missing optional input
 * is undefined.
 * @param kernels run the operators that they support. Without them, the reference implementations
 * run, which return the same bits.
 * @returns the outputs in order. A nullable output may be undefined. Outputs may share data with
 * inputs and constants.
 * @throws ERR_FLOUR_TENSOR with the node that rejects its inputs; ERR_FLOUR_LIMIT.
 */
export function runTensorProgram(
  program: { readonly graph: TensorGraph },
  inputs: Values,
  limits: Partial<TensorLimits> = {},
  kernels?: TensorKernels,
): Values {
  return atOnce(graphSteps(program.graph, inputs, [], new Spending({ ...defaultTensorLimits, ...limits }, kernels)));
}

/**
 * Runs a program in slices of time; the first slice runs immediately. `runBox` runs its black boxes
 * in sequence. The promise also rejects with the errors of `runBox` and of `slices.next`.
 */
export async function runTensorProgramLater(
  program: { readonly graph: TensorGraph; readonly inputs: readonly TensorPort[] },
  inputs: Values,
  runBox: BlackBoxRunner,
  slices: TensorSlices,
  limits: Partial<TensorLimits> = {},
  kernels?: TensorKernels,
): Promise<Values> {
  const spending = new Spending({ ...defaultTensorLimits, ...limits }, kernels, slices);
  const steps = graphSteps(program.graph, inputs, [], spending);
  const checkInputs = () => inputs.forEach((value, at) => checkAttached(value, program.inputs[at]!.name));
  try {
    let step = steps.next();
    while (!step.done) {
      const results = step.value === undefined ? await slices.next() : await runBox(step.value.box, step.value.inputs);
      step = steps.next(results ?? []);
    }
    checkInputs();
    return step.value;
  } catch (cause) {
    // Without the buffer of an input, an operator can throw any error.
    if (!(cause instanceof BrezelError)) checkInputs();
    throw cause;
  }
}

/**
 * Checks that the data of an input still exists. During a pause, the caller may have transferred
 * its buffer to another thread. A run checks its inputs once, at its end, because an input may be a
 * sequence of many tensors.
 *
 * @throws ERR_FLOUR_TENSOR
 */
function checkAttached(value: TensorValue | undefined, name: string): void {
  if (value === undefined) return;
  if (value.element === 'sequence') {
    for (const tensor of value.tensors) checkAttached(tensor, name);
    return;
  }
  if (value.data.length === elementCount(value.shape)) return;
  throw tensorError('ERR_FLOUR_TENSOR', {
    expected: `${elementCount(value.shape)} elements during the whole request`,
    received: `${value.data.length} elements`,
    at: `input "${name}"`,
    hint: 'transfer or resize the buffer of an input only after the answer',
  });
}

/**
 * Tracks how many elements (`maxElements`), nodes and iterations (`maxSteps`) a request may still
 * use, over all its graphs and kernels. It also tracks when the current slice of time ends.
 */
class Spending implements Budget {
  #elements: number;
  #steps: number;
  readonly isOver: (() => boolean) | undefined;

  constructor(
    readonly limits: TensorLimits,
    readonly kernels: TensorKernels | undefined,
    readonly slices?: TensorSlices,
  ) {
    this.#elements = limits.maxElements;
    this.#steps = limits.maxSteps;
    this.isOver = slices && (() => slices.isOver());
  }

  take(elements: number): void {
    this.#elements -= elements;
    if (this.#elements >= 0) return; // also false for NaN
    const expected = `at most ${this.limits.maxElements} elements made in a request (maxElements)`;
    throw tensorError('ERR_FLOUR_LIMIT', { expected, received: `${elements} more` });
  }

  /**
   * Counts a node or an iteration against the limit `maxSteps`. A node with many inputs, and a run
   * of a graph with many slots, count several times.
   */
  step(values: number): void {
    this.#steps -= 1 + Math.floor(values / VALUES_A_STEP);
    if (this.#steps >= 0) return;
    const expected = `at most ${this.limits.maxSteps} nodes and iterations in a request (maxSteps)`;
    throw tensorError('ERR_FLOUR_LIMIT', { expected, received: 'more' });
  }
}

/**
 * Runs a graph. A subgraph may return an absent value even if it declares a tensor. The node that
 * reads the value checks it.
 */
function* graphSteps(
  graph: TensorGraph,
  inputs: Values,
  outer: Frame,
  spending: Spending,
  isInner = false,
): TensorSteps {
  spending.step(graph.slots); // charges an iteration without nodes too
  const frame: Frame = new Array(graph.slots);
  for (const { slot, tensor } of graph.constants) frame[slot] = tensor;
  for (const capture of graph.captures) frame[capture.inner] = outer[capture.outer];
  graph.inputs.forEach((slot, at) => {
    if (inputs[at] !== undefined) frame[slot] = inputs[at];
  });
  for (const node of graph.nodes) {
    spending.step(node.inputs.length);
    const { blackBox, execute } = node;
    if (blackBox !== undefined)
      keep(node, counted(node, yield { box: blackBox, inputs: inputsOf(node, frame) }, spending), frame);
    else if (execute.steps !== undefined && spending.slices !== undefined)
      keep(node, yield* nodeSteps(node, frame, spending), frame);
    else keep(node, executeNode(node, frame, spending), frame);
    for (const slot of node.releases) frame[slot] = undefined;
    if (spending.slices?.isOver()) yield;
  }
  // a body without nodes takes time too
  if (graph.nodes.length === 0 && spending.slices?.isOver()) yield;
  return graph.outputs.map((slot, at) => {
    const value = frame[slot];
    if (value !== undefined || isInner || graph.results[at]!.nullable) return value;
    throw tensorError('ERR_FLOUR_TENSOR', {
      expected: 'a value',
      received: 'none',
      at: `output "${graph.results[at]!.name}"`,
    });
  });
}

const inputsOf = (node: TensorNode, frame: Frame): Values =>
  node.inputs.map((slot) => (slot === undefined ? undefined : frame[slot]));

/**
 * Takes the elements of a black box's results from the budget. The caller runs the black box first,
 * because the sizes of the results are unknown before.
 */
function counted(node: TensorNode, results: Values, spending: Spending): Values {
  const missing = node.outputs.findIndex((slot, at) => slot !== undefined && results[at] === undefined);
  if (missing >= 0) throw faultOf(node)(`no output ${missing}`, `a value for output ${missing} of the black box`);
  const sizes = results.map((value) =>
    value === undefined || value.element === 'sequence' ? 0 : elementCount(value.shape),
  );
  naming(node, () => spending.take(sizes.reduce((sum, size) => sum + size, 0)));
  return results;
}

function keep(node: TensorNode, results: Values, frame: Frame): void {
  node.outputs.forEach((slot, at) => {
    if (slot === undefined) return;
    if (at >= results.length) throw faultOf(node)(`${results.length} outputs`, `a value for output ${at}`);
    frame[slot] = results[at]; // undefined for an absent optional value
  });
}

const executeNode = (node: TensorNode, frame: Frame, spending: Spending): Values =>
  naming(node, () => node.execute(callOf(node, frame, spending)));

function* nodeSteps(node: TensorNode, frame: Frame, spending: Spending): TensorSteps {
  try {
    return yield* node.execute.steps!(callOf(node, frame, spending));
  } catch (cause) {
    throw named(node, cause);
  }
}

const callOf = (node: TensorNode, frame: Frame, spending: Spending): NodeCall => ({
  inputs: inputsOf(node, frame),
  attributes: node.attributes,
  opset: node.opset,
  outputs: node.outputs.length,
  budget: spending,
  kernels: spending.kernels,
  isOver: spending.isOver,
  fault: faultOf(node),
  bodies: bodiesOf(node, frame, spending),
});

function naming<T>(node: TensorNode, run: () => T): T {
  try {
    return run();
  } catch (cause) {
    throw named(node, cause);
  }
}

/**
 * Returns the error with the name of the node. Returns internal errors, and errors that already
 * name a node, unchanged.
 */
function named(node: TensorNode, cause: unknown): unknown {
  if (!(cause instanceof BrezelError) || cause.code === 'ERR_INTERNAL' || namesNode(cause)) return cause;
  if (cause.code === 'ERR_FLOUR_LIMIT') return tensorError(cause.code, { ...cause.details, at: node.at, cause });
  const { expected, received } = cause.details;
  return tensorError('ERR_FLOUR_TENSOR', {
    ...(expected !== undefined && { expected }),
    received: received ?? cause.message,
    at: node.at,
    hint: cause.hint,
    cause,
  });
}

/**
 * Returns whether an error already names a node. Errors of operators name their node, even if the
 * node is in a subgraph.
 */
const namesNode = ({ code, details }: BrezelError) =>
  code === 'ERR_FLOUR_TENSOR' || (code === 'ERR_FLOUR_LIMIT' && details.at !== undefined);

const faultOf = (node: TensorNode) => (received: string, expected: string, hint?: string) =>
  tensorError('ERR_FLOUR_TENSOR', { expected, received, at: node.at, ...(hint !== undefined && { hint }) });

function bodiesOf(node: TensorNode, frame: Frame, spending: Spending): Readonly<Record<string, TensorBody>> {
  const bodies = Object.entries(node.bodies).map(([name, graph]): [string, TensorBody] => {
    const steps = (inputs: Values) => graphSteps(graph, inputs, frame, spending, true);
    return [name, { inputs: graph.inputs.length, results: graph.results, steps }];
  });
  return Object.fromEntries(bodies);
}
