import type { NonFiniteChoice, NumericTensor, Tensor } from '@brezel/core';
import {
  type Block,
  BrezelError,
  type DenseBlock,
  dense,
  InternalError,
  type NumericDType,
  numericArray,
  type ParameterId,
  type StringBlock,
  sizeOf,
  vector,
} from '@brezel/core';
import type { OperatorSteps, TensorAttributes, TensorCall, TensorOperator, TensorResolver } from '@brezel/tensors';
import { blockOf, inBlocks, interruptible, shownShape, takeWork, tensorInput } from '@brezel/tensors';
import type { FlourContext } from '../context.js';
import { checkNonFinite } from '../learned.js';
import type { OnnxMapping, OnnxUse } from '../onnx-mapping.js';
import { onnx as linear } from '../ops/linear/onnx.js';
import { onnx as supportVectors } from '../ops/svm-classify/onnx.js';
import { onnx as trees } from '../ops/tree-ensemble/onnx.js';
import type { Program } from '../program.js';
import { runProgram } from '../reference.js';
import { checkModelWeights } from './model-weights.js';
import { onnxAttributes } from './onnx-attributes.js';

/**
 * Returns tensor operators for the models of ai.onnx.ml: linear models, tree ensembles and support
 * vector machines. The result for each row has the same bits as in a row program.
 *
 * Shapes: `[N, C]`, or `[C]` for one row → the outputs of the model for each row. The store of
 * `flour` holds the parameters of each node until the attributes of the node are garbage collected.
 * @example tensorModels(flour).find(({ operator }) => operator === 'TreeEnsembleRegressor')
 */
export const tensorModels = (flour: FlourContext, nonFinite: NonFiniteChoice = 'refuse'): readonly TensorOperator[] =>
  [...linear, ...trees, ...supportVectors]
    .filter(({ domain }) => domain === 'ai.onnx.ml')
    .map((mapping) => tensorModel(flour, mapping, nonFinite));

/**
 * Returns a function that finds the tensor operators for models of ai.onnx.ml. These operators
 * store their parameters in the context, because tensor programs have no store.
 *
 * @throws ERR_FLOUR_WEIGHT for a node with invalid weights, unless `nonFinite` is `allow`.
 */
export function modelResolver(flour: FlourContext, nonFinite: NonFiniteChoice = 'refuse'): TensorResolver {
  checkNonFinite(nonFinite);
  const models = tensorModels(flour, nonFinite);
  return (node) => {
    const found = models.find(
      ({ domain, operator, versions: [from, to] }) =>
        domain === node.domain && operator === node.operator && node.opset >= from && node.opset <= to,
    );
    if (found !== undefined && nonFinite === 'refuse') checkModelWeights(node);
    return found && Object.assign((call: TensorCall) => found.run(call), { steps: found.steps });
  };
}

/**
 * When a node has cached this many row programs, the next call clears the cache. Each width of the
 * input needs a separate program, and a forest accepts any sufficient width.
 */
const MAX_WIDTHS = 8;

/**
 * Returns a tensor operator that runs a model. It builds a row program for the width of its input.
 * Reference implementations run this program over the rows of the tensor.
 */
function tensorModel(flour: FlourContext, mapping: OnnxMapping, nonFinite: NonFiniteChoice): TensorOperator {
  const { domain, operator, versions } = mapping;
  const programs = new WeakMap<TensorAttributes, Map<string, Program>>();
  const programOf = (call: TensorCall, dtype: NumericDType, size: number): Program => {
    const known = programs.get(call.attributes) ?? new Map<string, Program>();
    programs.set(call.attributes, known);
    const key = `${call.opset} ${dtype} ${size}`;
    const found = known.get(key);
    if (found !== undefined) return found;
    const program = asFault(call, (own) =>
      flour.attempt(() => converted(flour, mapping, own, dtype, size), { nonFinite }),
    );
    if (known.size >= MAX_WIDTHS) known.clear();
    known.set(key, program);
    return program;
  };
  return interruptible({ domain, operator, versions, steps: (call) => runRows(call, programOf) });
}

const rowNumbers = ['float32', 'float64', 'int64', 'int32'] as const;

/** Runs a model over the rows of its input. Pauses between blocks of rows. */
function* runRows(
  call: TensorCall,
  programOf: (call: TensorCall, dtype: NumericDType, size: number) => Program,
): OperatorSteps {
  const { element, shape, data } = tensorInput(call, 0, rowNumbers) as NumericTensor<NumericDType>;
  const [rows, size] = shape.length === 1 ? [1, shape[0]!] : (shape as [number, number]);
  if (shape.length < 1 || shape.length > 2 || size === 0)
    throw call.fault(`shape ${shownShape(shape)}`, 'a shape [C] or [N, C] with at least one column');
  const program = programOf(call, element, size);
  for (const { type } of program.nodes()) call.budget.take(rows * sizeOf(type));
  const work = workOfRow(program);
  takeWork(call, rows * work);
  const parts: Readonly<Record<string, Block>>[] = [];
  const runPart = (from: number, to: number) => {
    const x = dense(element, to - from, size, data.subarray(from * size, to * size) as typeof data);
    parts.push(asFault(call, () => runProgram(program, { x })));
  };
  yield* inBlocks(call, rows, runPart, blockOf(work));
  return program.outputs.map(({ name, node }) => {
    const shape = node.type.kind === 'scalar' ? [rows] : [rows, sizeOf(node.type)];
    return tensorOf(
      parts.map((part) => part[name]!),
      shape,
    );
  });
}

/**
 * The number of multiplications that take as long as one tree takes for a row. A row visits at most
 * about 16 nodes of a tree, and a visit takes as long as 8 multiplications.
 */
const TREE_PRODUCTS = 16 * 8;

/**
 * Returns about how many multiplications the reference implementation of a program needs for a row:
 * a multiplication for each learned number, or a fixed number for each tree.
 */
function workOfRow(program: Program): number {
  const elementsOf = (id: ParameterId) => program.context.store.info(id).shape.reduce((all, size) => all * size, 1);
  const works = program.nodes().map(({ operator, parameters }) => {
    const { roots } = parameters;
    if (roots !== undefined) return TREE_PRODUCTS * elementsOf(roots.id);
    return operator === undefined
      ? 0
      : Object.values(parameters).reduce((sum, { id }) => sum + elementsOf(id), NODE_PRODUCTS);
  });
  return works.reduce((sum, work) => sum + work, 0);
}

/** Running a node on a row takes at least about as long as this many multiplications. */
const NODE_PRODUCTS = 64;

function converted(flour: FlourContext, mapping: OnnxMapping, call: TensorCall, dtype: NumericDType, size: number) {
  const flow = flour.input('x', vector(dtype, size));
  const use: OnnxUse = {
    flour,
    operator: mapping.operator,
    opset: call.opset,
    attributes: onnxAttributes(call, flour.store),
    repairNgrams: false,
    inputs: [{ kind: 'row', flow }],
    row: () => flow,
    constant: () => undefined,
    users: [],
    unsupported: (what, hint) => call.fault(what, 'a supported model', hint),
    invalid: (expected, received) => call.fault(received, expected),
    warn: () => {},
  };
  const outputs = mapping.convert(use).map((output, index) => [`output ${index}`, output!] as const);
  return flour.program(Object.fromEntries(outputs), { inputs: [flow] });
}

/**
 * Runs a function. Errors that the function creates with `call.fault` are thrown unchanged. Other
 * Brezel errors become errors of the call, except internal errors.
 */
function asFault<T>(call: TensorCall, run: (call: TensorCall) => T): T {
  const faults = new Set<unknown>();
  const fault: TensorCall['fault'] = (received, expected, hint) => {
    const error = call.fault(received, expected, hint);
    faults.add(error);
    return error;
  };
  try {
    return run({ ...call, fault });
  } catch (error) {
    if (faults.has(error) || !(error instanceof BrezelError) || error instanceof InternalError) throw error;
    const { received = error.message, expected = 'a supported model' } = error.details;
    throw call.fault(received, expected, error.hint);
  }
}

/** Joins the answers for blocks of rows to one tensor. */
function tensorOf(blocks: readonly Block[], shape: readonly number[]): Tensor {
  const [first] = blocks;
  if (first?.kind === 'strings')
    return { element: 'string', shape, data: blocks.flatMap((block) => (block as StringBlock).values) };
  const { dtype, values } = first as DenseBlock;
  if (blocks.length === 1) return { element: dtype, shape, data: values } as Tensor;
  const data = numericArray(
    dtype,
    shape.reduce((all, size) => all * size, 1),
  );
  let at = 0;
  for (const block of blocks as readonly DenseBlock[]) {
    data.set(block.values as never, at);
    at += block.values.length;
  }
  return { element: dtype, shape, data } as Tensor;
}
