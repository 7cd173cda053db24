import {
  type AttributeValue,
  DataType,
  makeGraph,
  makeModel,
  makeNode,
  makeStringTensor,
  type NodeProto,
  type TensorProto,
  tensorInput,
  writeModel,
} from '@brezel/onnx';
import { createFlour, createRuntime, importOnnx } from 'brezel';
import { describe, expect, test } from 'vitest';

// Operators on texts in ONNX files. Their stages run in the addon, and give the expected answers of
// this file.

const node = (operator: string, inputs: readonly string[], attributes: Readonly<Record<string, AttributeValue>> = {}) =>
  makeNode(operator, inputs, ['y'], attributes);

interface Use {
  readonly nodes: readonly NodeProto[];
  readonly constant?: readonly [shape: readonly number[], values: readonly string[]];
  readonly output: number;
  /** The expected answers to the rows below. */
  readonly expected: readonly unknown[];
}

const rows = [
  { x: ['a', 'B'], z: ['b', 'B'] },
  { x: ['', 'é😀'], z: ['é😀', ''] },
];

const uses: Readonly<Record<string, Use>> = {
  'StringConcat of the row': {
    nodes: [node('StringConcat', ['x', 'z'])],
    output: DataType.STRING,
    expected: [
      ['ab', 'BB'],
      ['é😀', 'é😀'],
    ],
  },
  'StringConcat with a constant before it': {
    nodes: [node('StringConcat', ['c', 'x'])],
    constant: [[1], ['-']],
    output: DataType.STRING,
    expected: [
      ['-a', '-B'],
      ['-', '-é😀'],
    ],
  },
  'StringConcat with a constant a column': {
    nodes: [node('StringConcat', ['x', 'c'])],
    constant: [
      [1, 2],
      ['1', '2'],
    ],
    output: DataType.STRING,
    expected: [
      ['a1', 'B2'],
      ['1', 'é😀2'],
    ],
  },
  'Equal of the row': {
    nodes: [node('Equal', ['x', 'z'])],
    output: DataType.BOOL,
    expected: [
      [false, true],
      [false, false],
    ],
  },
  'Equal with constants': {
    nodes: [node('Equal', ['c', 'x'])],
    constant: [[2], ['a', 'é😀']],
    output: DataType.BOOL,
    expected: [
      [true, false],
      [false, true],
    ],
  },
};

const modelOf = ({ nodes, constant, output }: Use): Uint8Array => {
  const initializer: TensorProto[] = constant === undefined ? [] : [makeStringTensor('c', ...constant)];
  const graph = makeGraph({
    node: [...nodes],
    initializer,
    input: ['x', 'z'].map((name) => tensorInput(name, DataType.STRING, ['N', 2])),
    output: [tensorInput('y', output, ['N', 2])],
  });
  return writeModel(makeModel(graph, { '': 20 }));
};

describe('texts of ONNX files', () => {
  test.each(Object.entries(uses))('%s', async (_name, use) => {
    using flour = await createFlour();
    await using runtime = createRuntime({ store: flour.store });
    const plan = importOnnx(modelOf(use), flour).program.plan();
    const inJavaScript = plan.stages.filter(({ stage }) => stage.calls === undefined);
    expect(inJavaScript.flatMap(({ stage }) => stage.steps.map(({ operator }) => operator))).toEqual([]);
    const registered = runtime.register(plan);
    expect((await runtime.predictBatch(registered, rows)).map(({ y }) => y)).toEqual(use.expected);
    expect(rows.map((row) => runtime.predictSync(registered, row).y)).toEqual(use.expected);
  });
});
