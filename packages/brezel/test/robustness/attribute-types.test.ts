import { onnxOperators } from '@brezel/flour';
import {
  AttributeType,
  type AttributeValue,
  attributeTypesOf,
  DataType,
  makeGraph,
  makeModel,
  makeNode,
  makeTensor,
  type NodeProto,
  tensorInput,
  writeModel,
} from '@brezel/onnx';
import { allTensorOperators, controlOperators } from '@brezel/tensors';
import { BrezelError, createFlour, importModel, importOnnx, importTensors } from 'brezel';
import { InferenceSession } from 'onnxruntime-node';
import { afterAll, describe, expect, test } from 'vitest';

// The schema of an operator defines the types of its attributes. Every node is checked before
// anything reads its attributes, and onnxruntime rejects the same nodes.

const flour = await createFlour();
afterAll(() => flour.dispose());

const modelOf = (nodes: readonly NodeProto[], opsets: Readonly<Record<string, number>>, irVersion = 8): Uint8Array =>
  writeModel(
    makeModel(
      makeGraph({
        node: [...nodes],
        input: [tensorInput('x', DataType.FLOAT, ['N', 2])],
        output: [tensorInput('y', DataType.FLOAT, ['N', 2])],
      }),
      opsets,
      { irVersion },
    ),
  );

function errorOf(run: () => unknown): BrezelError | undefined {
  try {
    run();
    return undefined;
  } catch (error) {
    if (error instanceof BrezelError) return error;
    throw error;
  }
}

type Change = Partial<NodeProto['attribute'][number]>;

/** Changes the first attribute of a node. */
const changed = (node: NodeProto, change: Change): NodeProto => ({
  ...node,
  attribute: node.attribute.map((attribute, at) => (at === 0 ? { ...attribute, ...change } : attribute)),
});

const value = makeTensor('', 'float32', [2], Float32Array.of(1, 2));
const constant = makeNode('Constant', [], ['c'], { value: { t: value } });
const add = makeNode('Add', ['x', 'c'], ['y']);
const leaky = (alpha: AttributeValue) => makeNode('LeakyRelu', ['x'], ['y'], { alpha });
const scaler = (scale: AttributeValue) =>
  makeNode('Scaler', ['x'], ['y'], { scale, offset: { floats: [0, 0] } }, 'ai.onnx.ml');
const typed = leaky({ f: 0.5 });

const cases: readonly (readonly [string, readonly NodeProto[], RegExp | undefined])[] = [
  ['a Constant of type TENSOR', [constant, add], undefined],
  ['a Constant of type STRING', [changed(constant, { type: AttributeType.STRING }), add], /value of type TENSOR/],
  ['a Constant without a type', [changed(constant, { type: 0 }), add], /a type of attribute value/],
  ['a number', [typed], undefined],
  ['a number without a value, which is 0', [changed(typed, { f: undefined })], undefined],
  ['a number without a type', [changed(typed, { type: 0 })], /a type of attribute alpha/],
  ['an integer instead of a number', [leaky({ i: 1 })], /alpha of type FLOAT/],
  [
    'a number that holds an integer',
    [changed(leaky({ i: 1 }), { type: AttributeType.FLOAT })],
    /a value of type FLOAT/,
  ],
  ['a number with a text', [changed(typed, { s: new Uint8Array([65]) })], /a value of type FLOAT/],
  ['two numbers of one name', [{ ...typed, attribute: [...typed.attribute, ...typed.attribute] }], /one attribute/],
  ['a list of numbers', [scaler({ floats: [1, 2] })], undefined],
  ['a list of integers', [scaler({ ints: [1, 2] })], /scale of type FLOATS/],
  ['one number instead of a list', [scaler({ f: 2 })], /scale of type FLOATS/],
];

describe('a node with', () => {
  test.each(cases)('%s', async (_, nodes, expected) => {
    const bytes = modelOf(nodes, { '': 17, 'ai.onnx.ml': 3 });
    for (const run of [importOnnx, importModel, (file: Uint8Array) => importTensors(file, { flour })]) {
      const error = errorOf(() => run(bytes, flour));
      if (expected === undefined) expect(error).toBeUndefined();
      else
        expect(error).toMatchObject({
          code: 'ERR_ONNX_ATTRIBUTE',
          details: { expected: expect.stringMatching(expected), at: expect.stringContaining('node "') },
        });
    }
    const session = InferenceSession.create(bytes, { logSeverityLevel: 4 });
    if (expected === undefined) await (await session).release();
    else await expect(session).rejects.toThrow();
  });
});

test('a file of IR version 1 declares no types', () => {
  const untyped = (node: NodeProto) => modelOf([changed(node, { type: 0 })], { '': 7 }, 1);
  expect(errorOf(() => importOnnx(untyped(typed), flour))).toBeUndefined();
  expect(errorOf(() => importOnnx(untyped(leaky({ i: 1 })), flour))?.code).toBe('ERR_ONNX_ATTRIBUTE');
});

test('each attribute of each operator is checked', () => {
  const known = [
    ...onnxOperators,
    ...allTensorOperators(),
    ...controlOperators.map((one) => ({ ...one, domain: '' as const })),
  ];
  let checked = 0;
  for (const { domain, operator, versions } of known) {
    for (const opset of versions) {
      for (const [name, type] of attributeTypesOf(domain, operator, opset)) {
        const wrong: AttributeValue = type === AttributeType.INT ? { s: 'a' } : { i: 1 };
        const node = makeNode(operator, ['x'], ['y'], { [name]: wrong }, domain);
        const error = errorOf(() => importTensors(modelOf([node], { '': 17, [domain]: opset }), { flour }));
        expect(error?.code, `${domain}.${operator}-${opset}, ${name}`).toBe('ERR_ONNX_ATTRIBUTE');
        checked += 1;
      }
    }
  }
  expect(checked).toBeGreaterThan(500);
});
