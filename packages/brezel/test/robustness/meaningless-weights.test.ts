import { type NumericParameter, vector } from '@brezel/core';
import { makeTensor } from '@brezel/onnx';
import {
  createFlour,
  createRuntime,
  type FlourContext,
  Flow,
  importModel,
  importOnnx,
  importTensors,
  type OperatorDefinition,
  operators,
  type ProgramNode,
} from 'brezel';
import { afterAll, describe, expect, test } from 'vitest';
import { type OperatorCases, programOf } from '../../../flour/src/case.js';
import { file, floats, ml, node, treeModel } from './models.js';

// A failed training can leave NaN in weights. Flour rejects such a program when it is written, and
// the importer rejects such a file.

const flour: FlourContext = await createFlour();
afterAll(() => flour.dispose());
const { NaN: nan, POSITIVE_INFINITY: inf } = Number;
const x = flour.input('x', vector('float32', 2)) as Flow<'vector'>;

describe('programs', () => {
  test.each<[string, () => unknown, string]>([
    ['weights', () => x.linear({ weights: [1, nan] }), 'expected finite weights0 at linear, weights0[1], received NaN'],
    ['an infinite weight', () => x.linear({ weights: [inf, 0] }), 'weights0[0], received Infinity'],
    ['a bias', () => x.linear({ weights: [1, 2], bias: nan }), 'expected bias without NaN at linear, bias[0]'],
    ['centers, as they were given', () => x.kMeansCluster({ centers: [0, 1, nan, 2] }), 'k-means, centers[2]'],
    ['components, as they were given', () => x.project({ components: [0, 1, nan, 2] }), 'project, components[2]'],
    ['a mean', () => x.project({ components: [0, 1], mean: [nan, 0] }), 'project, mean[0]'],
    ['idf', () => x.tfIdf({ idf: [1, -inf] }), 'weights[1], received -Infinity'],
    ['a scale', () => x.scale({ scale: [1, inf] }), 'scale, factor[1]'],
    ['a support vector', () => x.svmKernel({ kernel: 'linear', supportVectors: [0, 1, 2, nan] }), 'supportVectors[3]'],
  ])('%s', (_, build, said) => {
    const before = flour.store.stats();
    expect(build).toThrow(
      expect.objectContaining({ code: 'ERR_FLOUR_WEIGHT', message: expect.stringContaining(said) }),
    );
    expect(flour.store.stats()).toEqual(before);
  });

  test('an infinite bias, and NaN as the marker of missing values, are accepted', async () => {
    using other = await createFlour();
    const y = other.input('x', vector('float32', 2)) as Flow<'vector'>;
    const program = other.program({ y: y.impute({ values: nan, missing: -1 }).linear({ weights: [1, 1], bias: inf }) });
    await using runtime = createRuntime({ store: other.store, executors: 0 });
    const plan = runtime.register(program.plan());
    expect(runtime.predictSync(plan, { x: [1, 2] })).toEqual({ y: [inf] });
    expect(runtime.predictSync(plan, { x: [-1, 2] })).toEqual({ y: [nan] });
  });

  test('can be allowed for one attempt only', () => {
    const build = () => x.linear({ weights: [1, nan] });
    expect(flour.attempt(build, { nonFinite: 'allow' }).type).toEqual(vector('float32', 1));
    expect(flour.attempt(() => flour.attempt(build), { nonFinite: 'allow' }).type).toEqual(vector('float32', 1));
    const refused = expect.objectContaining({ code: 'ERR_FLOUR_WEIGHT' });
    expect(() => flour.attempt(() => flour.attempt(build, { nonFinite: 'refuse' }), { nonFinite: 'allow' })).toThrow(
      refused,
    );
    expect(build).toThrow(refused);
    expect(() => flour.attempt(build, { nonFinite: 'maybe' as never })).toThrow(/refuse or allow/);
  });
});

const modules = import.meta.glob<{ cases: OperatorCases }>('../../../flour/src/{ops,compositions}/*/cases.ts', {
  eager: true,
});
const learning = [...operators.values()].filter(({ learned }) => learned !== undefined);

/** Returns the first node in the cases of an operator that has numbers in a parameter. */
function useOf(name: string, parameter: (node: ProgramNode) => string | undefined): [ProgramNode, string] {
  for (const { cases } of Object.values(modules)) {
    if (!cases.operators.includes(name)) continue;
    for (const one of cases.named)
      for (const found of programOf(flour, one).nodes()) {
        const used = found.operator?.name === name ? parameter(found) : undefined;
        if (used !== undefined && isFloats(numbersIn(found, used))) return [found, used];
      }
  }
  throw new Error(`no case of ${name}`);
}

const isFloats = ({ dtype, data }: NumericParameter) => dtype.startsWith('float') && data.length > 0;
const numbersIn = (found: ProgramNode, parameter: string) =>
  flour.store.get(found.parameters[parameter]!.id) as NumericParameter;

/** Builds the node again, with another number at the end of a parameter. */
function poisoned(definition: OperatorDefinition, found: ProgramNode, parameter: string, number: number) {
  const value = numbersIn(found, parameter);
  const data = value.data.slice() as Float64Array;
  data[data.length - 1] = number;
  return flour.apply(
    definition,
    found.inputs.map((input) => new Flow(flour, input)),
    {
      attributes: found.attributes,
      parameters: { ...found.parameters, [parameter]: { ...value, data } as NumericParameter },
    },
  );
}

describe.each(learning.map((operator) => [operator.name, operator] as const))('%s', (name, definition) => {
  test.each(Object.entries(definition.learned!))('%s', (parameter, wanted) => {
    const [found, used] = useOf(name, ({ parameters }) =>
      Object.keys(parameters).find((one) => one === parameter || one.replace(/\d+$/, '#') === parameter),
    );
    const last = numbersIn(found, used).data.length - 1;
    const at = `${name}, ${used}[${last}]`;
    const refused = expect.objectContaining({ code: 'ERR_FLOUR_WEIGHT', details: expect.objectContaining({ at }) });
    expect(() => poisoned(definition, found, used, nan)).toThrow(refused);
    if (wanted === 'finite') expect(() => poisoned(definition, found, used, -inf)).toThrow(refused);
    else expect(poisoned(definition, found, used, -inf).type).toEqual(found.type);
    expect(definition.parameters![parameter]).toContainEqual(expect.stringMatching(/^float/));
  });
});

describe('models', () => {
  const svm = (coefficient: number) =>
    file(
      [
        ml('SVMRegressor', ['x'], ['y'], {
          kernel_type: { s: 'LINEAR' },
          kernel_params: { floats: [1, 0, 3] },
          support_vectors: { floats: [0, 1] },
          coefficients: { floats: [coefficient] },
          rho: { floats: [0] },
          n_supports: { i: 1 },
        }),
      ],
      floats(2),
      ['y'],
    );

  test('the error names the node, the parameter and the index', () => {
    const bytes = file([ml('LinearRegressor', ['x'], ['y'], { coefficients: { floats: [1, nan] } })], floats(2), ['y']);
    expect(() => importOnnx(bytes, flour)).toThrow(
      expect.objectContaining({
        code: 'ERR_ONNX_WEIGHT',
        message:
          'expected finite coefficients at node "y" (ai.onnx.ml.LinearRegressor, opset 3), LinearRegressor, coefficients[1], received NaN',
        hint: expect.stringContaining("nonFinite: 'allow'"),
      }),
    );
    expect(() => importModel(bytes, flour)).toThrow(expect.objectContaining({ code: 'ERR_ONNX_WEIGHT' }));
    expect(importModel(bytes, flour, { nonFinite: 'allow' }).kind).toBe('row');
  });

  test('in tensor programs, too', async () => {
    const refused = expect.objectContaining({
      code: 'ERR_ONNX_WEIGHT',
      message: expect.stringMatching(/coefficients\[0\]/),
    });
    expect(() => importTensors(svm(nan), { flour })).toThrow(refused);
    expect(importTensors(svm(1), { flour }).program.inputs).toHaveLength(1);
    const { program } = importTensors(svm(nan), { flour, nonFinite: 'allow' });
    await using runtime = createRuntime({ store: flour.store, executors: 0 });
    const given = { x: { element: 'float32', shape: [1, 2], data: Float32Array.of(1, 2) } } as const;
    const answer = await runtime.predictTensors(runtime.registerTensors(program), given);
    expect(answer).toMatchObject({ y: { data: Float32Array.of(nan) } });
  });

  test('a threshold of a tree in a tensor program is checked during the import', () => {
    const model = (value: number, leaf = 0) => treeModel({ nodes_values: { floats: [value, leaf, leaf, leaf] } });
    const refused = expect.objectContaining({
      code: 'ERR_ONNX_WEIGHT',
      message: expect.stringMatching(/without NaN .*nodes_values\[0\], received NaN/),
    });
    expect(() => importTensors(model(nan), { flour })).toThrow(refused);
    expect(importTensors(model(nan), { flour, nonFinite: 'allow' }).program.inputs).toHaveLength(1);
    expect(importTensors(model(0.5, nan), { flour }).program.inputs).toHaveLength(1);
    expect(importTensors(model(inf), { flour }).program.inputs).toHaveLength(1);
  });

  test('a threshold in operator set 5 is checked, except at nodes that test membership', () => {
    const floatsOf = (...list: number[]) => ({ t: makeTensor('', 'float32', [list.length], Float32Array.from(list)) });
    const model = (splits: number[], mode: number) => {
      const attributes = {
        n_targets: { i: 1 },
        tree_roots: { ints: [0] },
        nodes_featureids: { ints: [0, 1] },
        nodes_modes: { t: makeTensor('', 'int32', [2], Int32Array.of(0, mode)) },
        nodes_splits: floatsOf(...splits),
        membership_values: floatsOf(...(mode === 6 ? [1, nan] : [])),
        nodes_truenodeids: { ints: [1, 0] },
        nodes_trueleafs: { ints: [0, 1] },
        nodes_falsenodeids: { ints: [0, 1] },
        nodes_falseleafs: { ints: [1, 1] },
        leaf_targetids: { ints: [0, 0] },
        leaf_weights: floatsOf(1, 2),
      };
      return file([ml('TreeEnsemble', ['x'], ['y'], attributes)], floats(2), ['y'], {}, 5);
    };
    const said = (at: number) => new RegExp(`nodes_splits\\[${at}\\], received NaN`);
    expect(() => importTensors(model([nan, 0], 6), { flour })).toThrow(said(0));
    expect(() => importTensors(model([0, nan], 3), { flour })).toThrow(said(1));
    expect(importTensors(model([0, nan], 6), { flour }).program.inputs).toHaveLength(1);
  });

  test('a matrix of a product is checked, and an added constant is not', () => {
    const matrix = makeTensor('w', 'float32', [2, 2], Float32Array.of(1, 2, nan, 4));
    const product = file([node('MatMul', ['x', 'w'], ['y'])], floats(2), ['y'], { initializer: [matrix] });
    expect(() => importOnnx(product, flour)).toThrow(expect.objectContaining({ code: 'ERR_ONNX_WEIGHT' }));
    const y = flour.input('d', vector('float64', 2)) as Flow<'vector'>;
    const refused = expect.objectContaining({ code: 'ERR_FLOUR_WEIGHT', message: expect.stringContaining('mat-mul') });
    expect(() => y.matMul({ weights: [1, nan] })).toThrow(refused);
    const row = makeTensor('c', 'float32', [2], Float32Array.of(nan, 0));
    const sum = file([node('Add', ['x', 'c'], ['y'])], floats(2), ['y'], { initializer: [row] });
    expect(importOnnx(sum, flour).program.outputs).toHaveLength(1);
  });

  test('the threshold of a leaf may be NaN, because leaves compare nothing', () => {
    const values = (...list: number[]) => treeModel({ nodes_values: { floats: list } });
    expect(importOnnx(values(0.5, nan, nan, nan), flour).program.outputs).toHaveLength(2);
    expect(() => importOnnx(values(nan, 0, 0, 0), flour)).toThrow(/threshold\[0\], received NaN/);
  });
});
