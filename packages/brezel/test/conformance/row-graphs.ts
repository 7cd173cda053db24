import { type AttributeValue, makeNode, makeTensor, type NodeProto, type TensorProto } from '@brezel/onnx';
import fc from 'fast-check';
import type { Comparison } from './against-onnxruntime.js';

// Builds random graphs with independent rows. Rows may be any axis of an intermediate tensor.

/** A value of the graph: the size of each axis, with 0 for the axis of the rows. */
interface Value {
  readonly name: string;
  readonly dims: readonly number[];
}

/** Writes a graph node by node. `pick` makes the random choices. */
class GraphWriter {
  readonly nodes: NodeProto[] = [];
  readonly initializers: TensorProto[] = [];
  readonly #choices: readonly number[];
  #next = 0;

  constructor(choices: readonly number[]) {
    this.#choices = choices;
  }

  pick<T>(...options: readonly T[]): T {
    const choice = this.#choices[this.#next++ % this.#choices.length]! + this.#next;
    return options[choice % options.length]!;
  }

  constant(dims: readonly number[]): string {
    const name = `c${this.initializers.length}`;
    const length = dims.reduce((product, size) => product * size, 1);
    const data = Float32Array.from({ length }, (_, at) => (this.pick(-2, -1, 0.5, 1, 3) * (at + 1)) / 4);
    this.initializers.push(makeTensor(name, 'float32', dims, data));
    return name;
  }

  ints(values: readonly number[]): string {
    const name = `c${this.initializers.length}`;
    this.initializers.push(makeTensor(name, 'int64', [values.length], BigInt64Array.from(values, BigInt)));
    return name;
  }

  node(
    operator: string,
    inputs: readonly string[],
    dims: readonly number[],
    attributes: Readonly<Record<string, AttributeValue>> = {},
  ): Value {
    const name = `v${this.nodes.length}`;
    // TopK also returns indices.
    const outputs = operator === 'TopK' ? [name, `${name}/indices`] : [name];
    this.nodes.push(makeNode(operator, inputs, outputs, attributes));
    return { name, dims };
  }
}

type Step = (graph: GraphWriter, value: Value) => Value;

const rowAxis = ({ dims }: Value) => dims.indexOf(0);
const otherAxes = ({ dims }: Value) => dims.map((_, axis) => axis).filter((axis) => dims[axis] !== 0);
/** Returns sizes in the form of a shape: -1 for the axis of the rows. */
const open = (dims: readonly number[]) => dims.map((size) => (size === 0 ? -1 : size));

/** Steps that need another axis besides the axis of the rows. */
const along =
  (step: (graph: GraphWriter, value: Value, axis: number) => Value): Step =>
  (graph, value) => {
    const axes = otherAxes(value);
    return axes.length === 0 ? value : step(graph, value, graph.pick(...axes));
  };

const reduce = along((graph, value, axis) => {
  const operator = graph.pick('ReduceMean', 'ReduceMax', 'ReduceMin', 'ReduceL2', 'ReduceProd', 'ReduceSumSquare');
  const keeps = graph.pick(0, 1);
  const dims = keeps === 1 ? value.dims.with(axis, 1) : value.dims.toSpliced(axis, 1);
  return graph.node(operator, [value.name], dims, { axes: { ints: [axis] }, keepdims: { i: keeps } });
});

const steps: Readonly<Record<string, Step>> = {
  function: (graph, value) =>
    graph.node(graph.pick('Abs', 'Neg', 'Sigmoid', 'Tanh', 'Relu', 'Erf', 'Softplus', 'Exp'), [value.name], value.dims),
  constant(graph, value) {
    const rank = graph.pick(...value.dims.map((_, axis) => axis + 1));
    const dims = value.dims.slice(-rank).map((size) => (size === 0 ? 1 : graph.pick(1, size)));
    const inputs = [value.name, graph.constant(dims)];
    const operator = graph.pick('Add', 'Sub', 'Mul', 'Max', 'Min');
    return graph.node(operator, graph.pick(inputs, inputs.toReversed()), value.dims);
  },
  repeat(graph, value) {
    const dims = value.dims.map((size) => (size === 0 ? 1 : size === 1 ? graph.pick(1, 2) : size));
    const repeated = value.dims.map((size, axis) => (size === 0 ? 0 : dims[axis]!));
    return graph.node('Add', [value.name, graph.constant(dims)], repeated);
  },
  self: (graph, value) => graph.node(graph.pick('Mul', 'Sub', 'Add'), [value.name, value.name], value.dims),
  transpose(graph, value) {
    const axes = value.dims.map((_, axis) => axis);
    const by = graph.pick(...axes);
    const perm = [...axes.slice(by), ...axes.slice(0, by)];
    const dims = perm.map((axis) => value.dims[axis]!);
    return graph.node('Transpose', [value.name], dims, { perm: { ints: perm } });
  },
  unsqueeze(graph, value) {
    if (value.dims.length > 4) return value;
    const axis = graph.pick(...Array.from({ length: value.dims.length + 1 }, (_, at) => at));
    return graph.node('Unsqueeze', [value.name, graph.ints([axis])], value.dims.toSpliced(axis, 0, 1));
  },
  squeeze(graph, value) {
    const ones = otherAxes(value).filter((axis) => value.dims[axis] === 1);
    if (ones.length === 0) return value;
    const axis = graph.pick(...ones);
    return graph.node('Squeeze', [value.name, graph.ints([axis])], value.dims.toSpliced(axis, 1));
  },
  // Joins all axes after the axis of the rows, or all axes before it. The other axes stay.
  reshape(graph, value) {
    const axis = rowAxis(value);
    const total = (sizes: readonly number[]) => sizes.reduce((product, size) => product * size, 1);
    const [before, after] = [value.dims.slice(0, axis), value.dims.slice(axis + 1)];
    const dims = graph.pick(
      [...before, 0, total(after)],
      [total(before), 0, ...after],
      [total(before), 0, 1, total(after)],
    );
    return graph.node('Reshape', [value.name, graph.ints(open(dims))], dims);
  },
  concat: along((graph, value, axis) => {
    const other = graph.node('Neg', [value.name], value.dims);
    const dims = value.dims.with(axis, 2 * value.dims[axis]!);
    return dims[axis]! > 8 ? value : graph.node('Concat', [value.name, other.name], dims, { axis: { i: axis } });
  }),
  // Stacks the rows of one value on the rows of another value, and then splits them again.
  stack(graph, value) {
    if (value.dims.length > 4) return value;
    const axis = rowAxis(value);
    const other = graph.node('Neg', [value.name], value.dims);
    const name = graph.node('Concat', [value.name, other.name], value.dims, { axis: { i: axis } }).name;
    const dims = value.dims.toSpliced(axis, 0, 2);
    return graph.node('Reshape', [name, graph.ints(open(dims))], dims);
  },
  slice: along((graph, value, axis) => {
    const size = value.dims[axis]!;
    const [start, step] = [graph.pick(...Array.from({ length: size }, (_, at) => at)), graph.pick(1, 2)];
    const inputs = [value.name, ...[start, size, axis, step].map((one) => graph.ints([one]))];
    return graph.node('Slice', inputs, value.dims.with(axis, Math.ceil((size - start) / step)));
  }),
  gather: along((graph, value, axis) => {
    const at = Array.from({ length: 2 }, () =>
      graph.pick(...Array.from({ length: value.dims[axis]! }, (_, one) => one)),
    );
    return graph.node('Gather', [value.name, graph.ints(at)], value.dims.with(axis, 2), { axis: { i: axis } });
  }),
  reduce,
  softmax: along((graph, value, axis) => graph.node('Softmax', [value.name], value.dims, { axis: { i: axis } })),
  cumulate: along((graph, value, axis) => {
    const name = `c${graph.initializers.length}`;
    graph.initializers.push(makeTensor(name, 'int64', [], BigInt64Array.of(BigInt(axis))));
    return graph.node('CumSum', [value.name, name], value.dims);
  }),
  top: along((graph, value, axis) =>
    graph.node('TopK', [value.name, graph.ints([1])], value.dims.with(axis, 1), { axis: { i: axis } }),
  ),
  product(graph, value) {
    const inner = value.dims.at(-1)!;
    if (inner === 0 || value.dims.length < 2) return value;
    const columns = graph.pick(1, 2, 3);
    return graph.node('MatMul', [value.name, graph.constant([inner, columns])], value.dims.with(-1, columns));
  },
  expand(graph, value) {
    const dims = value.dims.map((size) => (size === 1 ? 2 : size));
    return graph.node('Expand', [value.name, graph.ints(dims.map((size) => (size === 0 ? 1 : size)))], dims);
  },
  // Uses the number of rows in a shape that the graph computes.
  shape(graph, value) {
    const shape = graph.node('Shape', [value.name], []);
    const other = graph.node('ConstantOfShape', [shape.name], value.dims);
    return graph.node(graph.pick('Add', 'Max'), [value.name, other.name], value.dims);
  },
  choose(graph, value) {
    // The graph computes x < 0 ? |x| : x. Near zero, both choices are near zero, so a rounding
    // error that changes the choice hardly changes the answer.
    const zero = graph.node('Sub', [value.name, value.name], value.dims);
    const isLess = graph.node('Less', [value.name, zero.name], value.dims);
    const other = graph.node('Abs', [value.name], value.dims);
    return graph.node('Where', [isLess.name, other.name, value.name], value.dims);
  },
};

/** Moves the axis of the rows to the front. */
function finish(graph: GraphWriter, value: Value): void {
  const axis = rowAxis(value);
  const perm = [axis, ...otherAxes(value)];
  const dims = perm.map((one) => value.dims[one]!);
  const name = graph.node('Transpose', [value.name], dims, { perm: { ints: perm } }).name;
  graph.nodes.push(makeNode('Identity', [name], ['y']));
}

const cell = fc.integer({ min: -8, max: 8 }).map((value) => value / 4);

/** A graph of up to eight steps over rows of some columns. */
export const rowGraph: fc.Arbitrary<Comparison> = fc
  .tuple(
    fc.array(fc.constantFrom(...Object.keys(steps)), { minLength: 1, maxLength: 8 }),
    fc.array(fc.nat(1000), { minLength: 12, maxLength: 12 }),
    fc
      .integer({ min: 1, max: 4 })
      .chain((columns) =>
        fc.array(fc.array(cell, { minLength: columns, maxLength: columns }), { minLength: 2, maxLength: 5 }),
      ),
  )
  .map(([names, choices, rows]) => {
    const graph = new GraphWriter(choices);
    const start: Value = { name: 'x', dims: [0, rows[0]!.length] };
    finish(
      graph,
      names.reduce((value, name) => steps[name]!(graph, value), start),
    );
    const { nodes, initializers } = graph;
    return {
      inputs: { x: { type: 'float32', rows } },
      nodes,
      initializers,
      outputs: { y: 'float32' },
      tolerance: [1e-4, 1e-5],
    };
  });

/** Formats the graph as lines, for people. */
export const shownGraph = ({ nodes, initializers = [], inputs }: Comparison): string =>
  [
    ...initializers.map(
      ({ name, dims, floatData, int64Data }) => `${name} [${dims}] = ${[...floatData, ...int64Data]}`,
    ),
    ...nodes.map(({ opType, input, output, attribute }) => {
      const options = attribute.map(({ name, i, ints }) => `${name}=${i ?? [...ints]}`);
      return `${output[0]} = ${opType}(${[...input, ...options].join(', ')})`;
    }),
    `x = ${JSON.stringify(inputs.x!.rows)}`,
  ].join('\n');
