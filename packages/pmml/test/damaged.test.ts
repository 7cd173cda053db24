import { createFlour, importPmml, type PmmlOptions } from 'brezel';
import { describe, expect, test } from 'vitest';
import { seed } from '../../../testing/seed.js';
import { damage, errorOf, file } from './damage.js';
import { double, pmml, schema } from './documents.js';

const replaced = (name: string, from: string, to: string): string => {
  const text = file(name);
  expect(text).toContain(from);
  return text.replace(from, to);
};

describe('bad files', () => {
  test.each<[string, string, string, string, string, string]>([
    ['another version', 'claims', 'version="4.4"', 'version="2.1"', 'ERR_PMML_UNSUPPORTED', 'version="2.1"'],
    ['no version', 'claims', 'version="4.4" ', '', 'ERR_PMML_FORMAT', 'version'],
    ['no dictionary', 'claims', 'DataDictionary>', 'Dictionary>', 'ERR_PMML_FORMAT', 'line'],
    ['an unknown model', 'claims', 'RegressionModel', 'NeuralNetwork', 'ERR_PMML_FORMAT', 'line'],
    ['an unknown field', 'claims', 'name="salary" coefficient', 'name="pay" coefficient', 'ERR_PMML_FORMAT', '"pay"'],
    [
      'a weight that is no number',
      'claims',
      '"7.1"',
      '"seven"',
      'ERR_PMML_FORMAT',
      'NumericPredictor age in line 21, coefficient',
    ],
    [
      'a date',
      'claims',
      'name="age" optype="continuous" dataType="double"',
      'name="age" optype="continuous" dataType="date"',
      'ERR_PMML_UNSUPPORTED',
      'dataType="date"',
    ],
    ['an unknown operator', 'golf', 'lessThan', 'isLess', 'ERR_PMML_FORMAT', 'operator'],
    [
      'an unknown default child',
      'golf',
      'defaultChild="3"',
      'defaultChild="9"',
      'ERR_PMML_FORMAT',
      'the id of a child',
    ],
    [
      'an unsupported strategy',
      'golf',
      '"defaultChild"',
      '"aggregateNodes"',
      'ERR_PMML_UNSUPPORTED',
      'missingValueStrategy="aggregateNodes"',
    ],
    ['an array with a missing item', 'golf', 'n="2"', 'n="3"', 'ERR_PMML_FORMAT', '3 items'],
    ['an unknown function', 'scorecard', 'function="*"', 'function="hypot"', 'ERR_PMML_UNSUPPORTED', 'hypot'],
    ['a scorecard without a reason', 'scorecard', ' reasonCode="RC1"', '', 'ERR_PMML_FORMAT', 'reasonCode'],
    [
      'a cycle of derived fields',
      'boosting',
      '<FieldRef field="income"/>',
      '<FieldRef field="logIncome"/>',
      'ERR_PMML_FORMAT',
      'use themselves',
    ],
    ['an unsupported method', 'boosting', '"sum"', '"median"', 'ERR_PMML_UNSUPPORTED', 'multipleModelMethod="median"'],
  ])('%s', async (_, name, from, to, code, text) => {
    const error = await errorOf(replaced(name, from, to));
    expect(error?.code).toBe(code);
    expect(error?.text).toContain(text);
  });

  test('an unsupported model is named', async () => {
    const text = file('claims').replaceAll('RegressionModel', 'NeuralNetwork');
    expect(await errorOf(text)).toMatchObject({
      code: 'ERR_PMML_UNSUPPORTED',
      text: expect.stringContaining('NeuralNetwork'),
    });
  });

  test('bytes that are not text', async () => {
    expect((await errorOf(Buffer.from([0x3c, 0x50, 0xff])))?.code).toBe('ERR_PMML_FORMAT');
    expect((await errorOf(''))?.code).toBe('ERR_PMML_FORMAT');
  });
});

/** A regression of one derived field. */
const derived = (fields: string): string =>
  pmml(
    double('x') + double('y'),
    `<RegressionModel functionName="regression">${schema(['x'], 'y')}<RegressionTable intercept="0"><NumericPredictor name="d" coefficient="1"/></RegressionTable></RegressionModel>`,
    `<TransformationDictionary>${fields}</TransformationDictionary>`,
  );
const field = (name: string, expression: string): string =>
  `<DerivedField name="${name}" optype="continuous" dataType="double">${expression}</DerivedField>`;

describe('hostile files', () => {
  test('a DOCTYPE with entities is rejected, and its entities are not expanded', async () => {
    const entities = Array.from({ length: 30 }, (_, index) => `<!ENTITY e${index + 1} "&e${index};&e${index};">`).join(
      '',
    );
    const text = file('claims')
      .replace('<PMML', `<!DOCTYPE PMML [<!ENTITY e0 "x">${entities}]><PMML`)
      .replace('by hand', '&e30;');
    expect(await errorOf(text)).toMatchObject({ code: 'ERR_PMML_FORMAT', text: expect.stringContaining('DOCTYPE') });
    const external = file('claims').replace('<PMML', '<!DOCTYPE PMML SYSTEM "file:///etc/passwd"><PMML');
    expect((await errorOf(external))?.text).toContain('DOCTYPE');
    expect((await errorOf(file('claims').replace('by hand', '&name;')))?.code).toBe('ERR_PMML_FORMAT');
  });

  test('elements nested deeply', async () => {
    const nested = `${'<Node score="1"><True/>'.repeat(5000)}${'</Node>'.repeat(5000)}`;
    const model = `<TreeModel functionName="regression">${schema(['x'], 'y')}${nested}</TreeModel>`;
    expect((await errorOf(pmml(double('x') + double('y'), model)))?.text).toContain('limits.depth');
  });

  test('fields and functions that use each other deeply', async () => {
    const chain = Array.from({ length: 5000 }, (_, index) =>
      field(`f${index}`, `<FieldRef field="f${index + 1}"/>`),
    ).join('');
    expect((await errorOf(derived(`${chain}${field('d', '<FieldRef field="f0"/>')}`)))?.text).toContain('limits.depth');
    const endless = `<DefineFunction name="f"><ParameterField name="p"/><Apply function="f"><FieldRef field="p"/></Apply></DefineFunction>`;
    const call = field('d', '<Apply function="f"><FieldRef field="x"/></Apply>');
    expect((await errorOf(derived(`${endless}${call}`)))?.text).toContain('limits.depth');
  });

  test('functions that double the work at each level', async () => {
    const functions = Array.from(
      { length: 40 },
      (_, index) =>
        `<DefineFunction name="f${index}"><ParameterField name="p"/>${
          index === 0
            ? '<FieldRef field="p"/>'
            : `<Apply function="+"><Apply function="f${index - 1}"><FieldRef field="p"/></Apply><Apply function="f${index - 1}"><FieldRef field="p"/></Apply></Apply>`
        }</DefineFunction>`,
    ).join('');
    const call = field('d', '<Apply function="f39"><FieldRef field="x"/></Apply>');
    expect((await errorOf(derived(`${functions}${call}`)))?.text).toContain('limits.nodes');
  });

  test('compound predicates that double at each level stay small', async () => {
    const leaf = '<SimplePredicate field="x" operator="lessThan" value="1"/>';
    let predicate = leaf;
    for (const operator of ['xor', 'and', 'or', 'surrogate', 'xor'].flatMap((one) => new Array<string>(20).fill(one)))
      predicate = `<CompoundPredicate booleanOperator="${operator}">${predicate}${leaf}</CompoundPredicate>`;
    const model = `<TreeModel functionName="regression">${schema(['x'], 'y')}<Node score="1"><True/><Node score="2">${predicate}</Node></Node></TreeModel>`;
    expect(await errorOf(pmml(double('x') + double('y'), model), { limits: { elements: 20_000 } })).toBeUndefined();
  });

  test('limits', async () => {
    const limited = (limits: PmmlOptions['limits']) => errorOf(file('boosting'), { limits: limits! });
    expect((await limited({ fileBytes: 100 }))?.text).toContain('limits.fileBytes');
    expect((await limited({ items: 20 }))?.text).toContain('limits.items');
    expect((await limited({ nodes: 3 }))?.text).toContain('limits.nodes');
    expect((await limited({ elements: 3 }))?.text).toContain('limits.elements');
    expect((await limited({ depth: 3 }))?.text).toContain('limits.depth');
    expect((await limited({ depth: -1 }))?.code).toBe('ERR_PMML_OPTION');
    const attributes = Array.from({ length: 1000 }, (_, index) => ` a${index}="1"`).join('');
    const many = file('claims').replace('<Header', `<Header${attributes}`);
    expect((await errorOf(many, { limits: { items: 500 } }))?.text).toContain('limits.items');
  });
});

describe('options', () => {
  test.each<[PmmlOptions, string]>([
    [{ nmae: 'x' } as PmmlOptions, 'name'],
    [{ outputs: [] }, 'at least one output'],
    [{ outputs: ['scores'] }, 'prediction'],
    [{ nonFinite: 'maybe' as 'allow' }, 'refuse or allow'],
  ])('%o is rejected', async (options, text) => {
    const error = await errorOf(file('claims'), options);
    expect(error?.code).toBe('ERR_PMML_OPTION');
    expect(error?.text).toContain(text);
  });

  test('outputs selects outputs, and inspect shows the parts of the file', async () => {
    using flour = await createFlour({ native: false });
    const model = importPmml(file('golf'), flour, { outputs: ['chance'] });
    expect(model.program.outputs.map(({ name }) => name)).toEqual(['chance']);
    expect(model.operators).toEqual({ 'pmml:TreeModel': 1 });
    expect(model.producer).toBe('(PMML 4.4)');
  });

  test('unsupported output fields and later models are warnings', async () => {
    using flour = await createFlour({ native: false });
    const text = replaced('golf', 'feature="probability" value="will play"', 'feature="entityId"');
    const { warnings, program } = importPmml(text, flour);
    expect(warnings).toEqual([expect.stringContaining('the output field chance is left out')]);
    expect(program.outputs.map(({ name }) => name)).toEqual(['label', 'probabilities', 'decision']);
  });
});

const runs = Number(process.env.BREZEL_FUZZ_RUNS ?? 300);

test('changed files are rejected with a code, and leave nothing in the store', async () => {
  const { rejected, imported } = await damage(seed, runs);
  expect(rejected).toBeGreaterThan(0);
  expect(imported).toBeGreaterThan(0);
});
