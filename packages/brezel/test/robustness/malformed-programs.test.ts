import {
  bake,
  createFlour,
  createRuntime,
  explain,
  type Flow,
  importOnnx,
  importTensors,
  Program,
  type ProgramNode,
  rule,
  vector,
} from 'brezel';
import { afterAll, expect, test } from 'vitest';

// Programs that no flow can create: nodes that are written by hand, or belong to another program.

const flour = await createFlour();
afterAll(() => flour.dispose());
const x = flour.input('x', vector('float32', 3)) as Flow<'vector'>;
const z = flour.input('z', vector('float32', 2)) as Flow<'vector'>;
const score = x.linear({ weights: [1, 2, 3] }).node;
const relu = z.map('relu').node;

const program = (node: ProgramNode, inputs?: readonly ProgramNode[]) => () =>
  bake(new Program(flour, 'made', [{ name: 'y', node }], inputs));

/** Builds a ring of `length` nodes. */
function ring(length: number): ProgramNode {
  const nodes = Array.from({ length }, () => ({ ...relu, inputs: [] as ProgramNode[] }));
  for (const [at, node] of nodes.entries()) node.inputs.push(nodes[(at + 1) % length]!, z.node);
  return nodes[0]!;
}

test.each<[string, () => unknown, string, RegExp]>([
  ['no outputs', () => flour.program({}), 'ERR_FLOUR_GRAPH', /at least one output at program/],
  ['a node that reads itself', program(ring(1)), 'ERR_FLOUR_GRAPH', /without cycles .*map that depends on itself/],
  ['a ring of two', program(ring(2), [z.node]), 'ERR_FLOUR_GRAPH', /without cycles/],
  ['a ring of 10 000', program(ring(10_000)), 'ERR_FLOUR_GRAPH', /without cycles/],
  ['an output of no input', program({ ...score, inputs: [] }), 'ERR_OVEN_GRAPH', /an input at linear/],
  ['an input that is not listed', program(score, [z.node]), 'ERR_FLOUR_GRAPH', /input "x" among the inputs/],
  ['another type', program({ ...score, type: vector('float32', 7) }), 'ERR_OVEN_SCHEMA', /float32\[7\] at output y/],
  ['another input', program({ ...score, inputs: [z.node] }), 'ERR_FLOUR_SIZE', /2 weights0 at linear, received 3/],
])('%s', (_, make, code, said) => {
  const before = flour.store.stats();
  expect(make).toThrow(expect.objectContaining({ code, message: expect.stringMatching(said) }));
  expect(flour.store.stats()).toEqual(before);
});

// Plain JavaScript can pass types that the compiler would reject.
const unknown = (type: unknown) => () => flour.input('x', type as never);
test.each<[string, () => unknown, RegExp]>([
  [
    'a type where a name belongs',
    () => flour.columns({ x: vector('float32', 2) as never }),
    /at input "x", received object/,
  ],
  ['a column of float16', () => flour.columns({ x: 'float16' as never }), /at input "x", received "float16"/],
  ['an integer column of CSV', () => flour.csv({ n: 'int64' as never }), /expected string, float32, float64 at csv/],
  ['a bool column of CSV', () => flour.csv({ b: 'bool' as never }), /received "bool"/],
  ['a field of CSV, by name', () => flour.csv({ a: 'string', "it's": 1 as never }), /at csv, field "it's"/],
  ['a column of CSV of float16', () => flour.csv({ x: 'float16' as never }), /received "float16"/],
  ['a cast to float16', () => x.cast('float16' as never), /received "float16"/],
  ['a cast to text', () => x.cast('string' as never), /received "string"/],
  ['an input of float16', unknown({ kind: 'vector', dtype: 'float16', size: 2 }), /received "float16"/],
  ['an input of no type', unknown(undefined), /expected a type at input "x", received nothing/],
  ['an input of a number', unknown(10n), /expected a type at input "x", received 10/],
  ['an input of a name', unknown('float32'), /expected a type at input "x", received "float32"/],
])('types that nobody knows: %s', (_, make, said) => {
  expect(make).toThrow(expect.objectContaining({ code: 'ERR_FLOUR_TYPE', message: expect.stringMatching(said) }));
});

const given: readonly [string, unknown, string][] = [
  ['undefined', undefined, 'undefined'],
  ['null', null, 'null'],
  ['a number', 3, '3'],
  ['text', 'age', 'the text "age"'],
  ['a list', ['age'], 'an array of 1'],
  ['numbers', Float32Array.of(1, 2), 'Float32Array of 2'],
  ['a map', new Map([['age', 'float32']]), 'an object'],
  ['a function', () => 1, 'a function'],
  ['a symbol', Symbol('age'), 'Symbol(age)'],
];
const calls: readonly [string, (value: never) => unknown, RegExp][] = [
  ['columns', (value) => flour.columns(value), /^expected names of columns with their element types at columns/],
  ['csv', (value) => flour.csv(value), /^expected names of fields with their element types at csv/],
  ['program', (value) => flour.program(value), /^expected names of outputs with their flows at program/],
  ['an operator', (value) => z.concat(value), /^expected a flow at an input of concat/],
  ['an output', (y) => flour.program({ y }), /^expected a flow at output "y" of a program/],
  ['an input', (value) => flour.program({ z }, { inputs: [value] }), /^expected a flow at input 0 of a program/],
];
test.each(calls)('%s rejects wrong arguments with a hint', (_, call, said) => {
  for (const [name, value, received] of given) {
    const fault = expect.objectContaining({
      code: 'ERR_FLOUR_TYPE',
      message: expect.stringMatching(said),
      hint: expect.stringContaining('('),
      details: expect.objectContaining({ received }),
    });
    expect(() => call(value as never), name).toThrow(fault);
  }
});

test.each<[string, () => unknown, RegExp]>([
  ['dictionary', () => flour.dictionary('x', null as never), /an object of options at dictionary, received null/],
  ['csv', () => flour.csv({ x: 'string' }, null as never), /an object of options at csv, received null/],
  ['program', () => flour.program({ z }, null as never), /an object of options at program, received null/],
  ['inputs', () => flour.program({ z }, { inputs: z as never }), /a list of flows at the inputs of a program/],
])('options that are none: %s', (name, make, said) => {
  const code = name === 'inputs' ? 'ERR_FLOUR_TYPE' : 'ERR_FLOUR_PARAM';
  expect(make).toThrow(expect.objectContaining({ code, message: expect.stringMatching(said) }));
});

test.each([undefined, null, 3, 'film', {}])('bake, explain and register accept programs and plans, not %j', (value) => {
  const program = expect.objectContaining({ code: 'ERR_OVEN_GRAPH' });
  expect(() => bake(value as never)).toThrow(program);
  expect(() => explain(value as never)).toThrow(program);
  const plan = expect.objectContaining({ code: 'ERR_RUNTIME_VERSION' });
  const runtime = createRuntime({ store: flour.store });
  expect(() => runtime.register(value as never)).toThrow(plan);
  expect(() => runtime.registerTensors(value as never)).toThrow(plan);
});

test.each([undefined, null, 3, 'model.onnx', {}, []])('importOnnx and importTensors accept bytes, not %j', (bytes) => {
  const fault = expect.objectContaining({ code: 'ERR_ONNX_FORMAT', hint: expect.stringContaining('readFileSync') });
  expect(() => importOnnx(bytes as never, flour)).toThrow(fault);
  expect(() => importTensors(bytes as never)).toThrow(fault);
});

test('a value that many nodes read is not a cycle', () => {
  let sum: Flow<'vector'> = z;
  for (let level = 0; level < 40; level++) sum = sum.arithmetic('add', sum);
  const plan = bake(flour.program({ y: sum }));
  expect(plan.stages.length).toBeGreaterThan(0);
  plan.release();
});

test('the error names a rule that creates a cycle', () => {
  const ringed = rule({
    name: 'make-a-ring',
    step: 'optimize-stages',
    over: 'plan',
    exact: true,
    apply(plan) {
      const [first, last] = [plan.nodes.find(({ operator }) => operator !== undefined)!, plan.nodes.at(-1)!];
      if (first.inputs.includes(last.id)) return undefined;
      const nodes = plan.nodes.map((node) => (node === first ? { ...node, inputs: [last.id] } : node));
      return { ...plan, nodes };
    },
  });
  const before = flour.store.stats();
  const made = flour.program({ y: z.map('relu').map('exp').map('sqrt') });
  expect(() => bake(made, { rules: [ringed] })).toThrow(
    expect.objectContaining({ code: 'ERR_OVEN_SCHEMA', message: expect.stringContaining('make-a-ring') }),
  );
  expect(flour.store.stats()).toEqual(before);
});
