import {
  BrezelError,
  type DType,
  dtypeOf,
  elementCount,
  numericArray,
  shapeOf,
  sizeOf,
  type Tensor,
  type TensorLimits,
  type TensorValue,
} from '@brezel/core';
import { type FlourContext, type Flow, Program } from '@brezel/flour';
import type { TensorProgram } from '@brezel/tensors';
import { exporterFaults } from '../exporter-faults.js';
import { inputRow } from '../graph-input.js';
import type { ImportBudget } from '../import-budget.js';
import type { ImportedModel, ImportOptions } from '../import-options.js';
import { importTensors } from '../import-tensors.js';
import { withInputWidths } from '../input-widths.js';
import { modelFacts } from '../model-facts.js';
import type { OpenedModel } from '../open-model.js';
import type { ModelProto, ValueInfoProto } from '../proto/schema.js';
import { writeModel } from '../proto/write.js';
import { reshapedFlow } from '../rows/value.js';
import { applyTensorRows, type TensorRows } from './operator.js';
import { PROBED_ROWS, probeLimits } from './row-limits.js';

/**
 * Imports a graph as a program with one operator, which runs the graph as a tensor program, once
 * for each row. Returns undefined if the first axis of an input does not count rows, if the size of
 * an output depends on the values, or if an operator is unsupported. Also returns undefined if a
 * row exceeds its limits. To check this, the import runs two rows. Their work counts towards the
 * limits of the import.
 *
 * @param rowLimits limits of one row.
 * @param why the reason why the graph is not a row program.
 */
export function importRowByRow(
  opened: OpenedModel,
  flour: FlourContext,
  { name, limits }: ImportOptions,
  rowLimits: TensorLimits,
  why: BrezelError,
): ImportedModel | undefined {
  try {
    const { budget } = opened;
    const widths: string[] = [];
    const model = withInputWidths(opened.model, (warning) => void widths.push(warning));
    const bytes = writeModel(model);
    budget.list(bytes.length, 'the model as a parameter', 1);
    const { program: tensors } = importTensors(bytes, { limits });
    const weights = new Set(model.graph!.initializer.map((tensor) => tensor.name));
    const inputs = model.graph!.input.filter((input) => !weights.has(input.name));
    if (inputs.length === 0 || !inputs.every(hasRows) || tensors.blackBoxes.length > 0) return undefined;
    const flows = inputs.map((input) => plainInput(flour, input, budget)).filter((flow) => flow !== undefined);
    if (flows.length < inputs.length) return undefined;
    for (const { type } of flows) budget.list(PROBED_ROWS * sizeOf(type), 'rows that the import runs');
    const outputs = probe(tensors, flows, probeLimits(rowLimits, budget));
    if (outputs === undefined) return undefined;
    const program = flour.attempt(() => {
      const joined = outputFlows(flows, bytes, outputs, { limits, rowLimits });
      const named = outputs.map((output) => ({ name: output.name, node: joined.get(output.name)!.node }));
      return new Program(
        flour,
        name ?? (model.graph!.name || 'model'),
        named,
        flows.map((flow) => flow.node),
      );
    });
    return { program, ...properties(opened, model, widths, why) };
  } catch (error) {
    if (error instanceof BrezelError) return undefined; // the caller throws the reason
    throw error;
  }
}

const properties = (opened: OpenedModel, model: ModelProto, widths: readonly string[], why: BrezelError) => ({
  ...modelFacts(opened),
  warnings: [
    `each row runs alone, over whole tensors, because the graph is not a row program: ${why.message}`,
    ...widths,
    ...exporterFaults(model),
  ],
  blackBoxes: [],
  outputLayouts: {},
  conversions: [],
});

/**
 * Returns whether the first axis of an input may count rows: the file declares no size for it, or
 * size 1.
 */
function hasRows({ type }: ValueInfoProto): boolean {
  const [first] = type?.tensorType?.shape?.dim ?? [];
  return first !== undefined && (first.dimValue === undefined || first.dimValue === 1);
}

/**
 * Adds an input to the program. Returns its flow, or undefined if rows have another element type
 * than the graph.
 */
function plainInput(flour: FlourContext, input: ValueInfoProto, budget: ImportBudget): Flow | undefined {
  const { given, value } = inputRow(flour, input, budget);
  return value.element === dtypeOf(given.type) ? given : undefined;
}

interface ProbedOutput {
  readonly name: string;
  readonly dtype: DType;
  /** Shape of the answer to one row. */
  readonly shape: readonly number[];
}

const elements: ReadonlySet<string> = new Set(['float32', 'float64', 'int64', 'int32', 'bool', 'string']);

/**
 * Runs the program on two different rows. Returns its outputs, or undefined if rows cannot contain
 * an output: its size differs between the two rows, it is empty, or its type is unsupported.
 */
function probe(program: TensorProgram, flows: readonly Flow[], limits: TensorLimits): ProbedOutput[] | undefined {
  const [zeros, ones] = [0, 1].map((value) =>
    program.run(
      flows.map((flow) => filled(flow, value)),
      limits,
    ),
  );
  const outputs = program.outputs.map(({ name }, at): ProbedOutput | undefined => {
    const [first, second] = [zeros![at], ones![at]];
    if (!isPlain(first) || !isPlain(second) || String(first.shape) !== String(second.shape)) return undefined;
    if (elementCount(first.shape) === 0) return undefined;
    const shape = first.shape[0] === 1 ? first.shape.slice(1) : first.shape;
    return { name, dtype: first.element as DType, shape };
  });
  return outputs.includes(undefined) ? undefined : (outputs as ProbedOutput[]);
}

const isPlain = (value: TensorValue | undefined): value is Tensor => value !== undefined && elements.has(value.element);

function filled({ type }: Flow, value: number): Tensor {
  const shape = [1, ...(type.kind === 'scalar' ? [] : shapeOf(type))];
  const dtype = dtypeOf(type);
  const count = elementCount(shape);
  if (dtype === 'string') return { element: 'string', shape, data: new Array<string>(count).fill(`${value}`) };
  const data = numericArray(dtype, count);
  return { element: dtype, shape, data: data.fill((dtype === 'int64' ? BigInt(value) : value) as never) } as Tensor;
}

/**
 * Returns the flow of each output. One operator computes all outputs of the same element type, so
 * the graph runs once for each element type.
 */
function outputFlows(
  flows: readonly Flow[],
  bytes: Uint8Array,
  outputs: readonly ProbedOutput[],
  limits: Pick<TensorRows, 'limits' | 'rowLimits'>,
): Map<string, Flow> {
  const groups = new Map<DType, ProbedOutput[]>();
  for (const output of outputs) groups.set(output.dtype, [...(groups.get(output.dtype) ?? []), output]);
  const found = new Map<string, Flow>();
  for (const [dtype, group] of groups) {
    const sizes = group.map(({ shape }) => elementCount(shape));
    const names = group.map(({ name }) => name);
    const stage = applyTensorRows(flows, bytes, { dtype, outputs: names, sizes, ...limits });
    let from = 0;
    group.forEach(({ name, shape }, at) => {
      const columns = Array.from({ length: sizes[at]! }, (_, index) => from + index);
      from += columns.length;
      found.set(name, reshapedFlow(group.length === 1 ? stage : stage.selectColumns(columns), shape));
    });
  }
  return found;
}
