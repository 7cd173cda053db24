import { expect, test } from 'vitest';
import { errorOf } from './damage.js';
import { double, pmml, schema } from './documents.js';

// An import whose work grows with the square of a list would not end here.

const many = Array.from({ length: 150_000 }, (_, index) => index);
const values = many.map((index) => `<Value value="v${index}"/>`).join('');
const wideString = (name: string) =>
  `<DataField name="${name}" optype="categorical" dataType="string">${values}</DataField>`;
const wide: readonly [string, () => string][] = [
  [
    'a field with many values',
    () =>
      pmml(
        wideString('c') + double('y'),
        `<TreeModel functionName="regression">${schema(['c'], 'y')}<Node score="1"><True/><Node score="2"><SimplePredicate field="c" operator="equal" value="v7"/></Node></Node></TreeModel>`,
      ),
  ],
  [
    'a target with many classes, and prior probabilities',
    () =>
      pmml(
        double('x') + wideString('y'),
        `<TreeModel functionName="classification">${schema(['x'], 'y')}<Targets><Target field="y">${many.map((index) => `<TargetValue value="v${index}" priorProbability="0"/>`).join('')}</Target></Targets><Node score="v1"><True/></Node></TreeModel>`,
      ),
  ],
  [
    'a node with many children',
    () =>
      pmml(
        double('x') + double('y'),
        `<TreeModel functionName="regression" missingValueStrategy="defaultChild">${schema(['x'], 'y')}<Node defaultChild="d"><True/><Node id="d" score="0"><False/></Node>${many.map((index) => `<Node score="${index}"><SimplePredicate field="x" operator="equal" value="${index}"/></Node>`).join('')}</Node></TreeModel>`,
      ),
  ],
  [
    'many fields',
    () =>
      pmml(
        many.map((index) => double(`x${index}`)).join('') + double('y'),
        `<RegressionModel functionName="regression">${schema(
          many.map((index) => `x${index}`),
          'y',
        )}<RegressionTable intercept="0">${many.map((index) => `<NumericPredictor name="x${index}" coefficient="1"/>`).join('')}</RegressionTable></RegressionModel>`,
      ),
  ],
];

test.each(wide)('%s: imported, or rejected by a limit', async (_, write) => {
  const error = await errorOf(write());
  expect([undefined, 'ERR_PMML_LIMIT']).toContain(error?.code);
});
