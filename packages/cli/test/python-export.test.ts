import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { brezel, root, temporaryFolder } from './brezel.js';

const tools = join(root, 'tools/python');
const folder = temporaryFolder();
afterAll(folder.remove);

const run = (command: string, code: string) =>
  spawnSync(command, ['-c', code], {
    cwd: folder.path('.'),
    encoding: 'utf8',
    env: { ...process.env, PYTHONPATH: tools, PYTHONDONTWRITEBYTECODE: '1' },
  });
/** Returns the first Python that imports these modules, or undefined if there is none. */
const pythonWith = (modules: string) =>
  ['python3', '/usr/bin/python3'].find((command) => run(command, `import ${modules}`).status === 0);

const python = pythonWith('json');
const pythonXgboost = pythonWith('xgboost, numpy');
const pythonSklearn = pythonWith('sklearn, onnx, numpy');
const pythonSkl2onnx = pythonWith('sklearn, skl2onnx, numpy');

/**
 * Runs Python that writes the model, then verifies the model with its golden rows. Returns the
 * printed report.
 */
async function verifies(command: string, code: string, file: string): Promise<string> {
  const { status, stderr } = run(command, code);
  expect(stderr.replace(/^.*Warning.*\n.*\n/gm, '')).toBe('');
  expect(status).toBe(0);
  const base = folder.path(file.replace(/\.\w+$/, ''));
  const golden = ['--rows', `${base}.rows.jsonl`, '--expected', `${base}.answers.jsonl`];
  const { code: exit, out, err } = await brezel(['verify', folder.path(file), ...golden]);
  expect(err).toBe('');
  expect(exit).toBe(0);
  return out;
}

const DATA = `
import numpy as np
from brezel_export import export
x = np.random.default_rng(0).normal(size=(100, 3)).astype("float32")
y = (x[:, 0] + x[:, 2] > 0).astype(int)
`;
/** A scikit-learn classifier, written as ONNX by hand because Debian has no skl2onnx. */
const LINEAR = `${DATA}
from onnx import TensorProto, helper
from sklearn.linear_model import LogisticRegression
def convert(model, columns):
    (column,) = columns
    port = helper.make_tensor_value_info
    scores = helper.make_node(
        "LinearClassifier", [column.name], ["label", "probabilities"], domain="ai.onnx.ml",
        coefficients=[float(w) for w in np.concatenate([-model.coef_[0], model.coef_[0]])],
        intercepts=[-float(model.intercept_[0]), float(model.intercept_[0])],
        classlabels_ints=[int(one) for one in model.classes_], multi_class=0, post_transform="LOGISTIC")
    graph = helper.make_graph(
        [scores], "linear", [port(column.name, TensorProto.FLOAT, [None, column.width])],
        [port("label", TensorProto.INT64, [None]), port("probabilities", TensorProto.FLOAT, [None, 2])])
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("ai.onnx.ml", 3)]
    return helper.make_model(graph, opset_imports=opsets).SerializeToString()
export(LogisticRegression().fit(x, y), x, "linear.onnx", convert=convert)
`;
const TEXTS = `
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from brezel_export import export
texts = ["a good film", "great sound", "not good", "a bad phone"]
pipeline = make_pipeline(TfidfVectorizer(), LogisticRegression()).fit(texts, [1, 1, 0, 0])
export(pipeline, texts, "texts.onnx")
`;

describe('tools/python/brezel_export.py', () => {
  test.skipIf(!python)('its parts work without any library', () => {
    const { status, stderr } = spawnSync(python!, [join(tools, 'test_brezel_export.py')], { encoding: 'utf8' });
    expect(stderr).toMatch(/^OK$/m);
    expect(status).toBe(0);
  });

  test.skipIf(!pythonXgboost)('writes models of XGBoost that answer as XGBoost', async () => {
    const train = `${DATA}
import xgboost
x[3, 1] = np.nan
export(xgboost.XGBClassifier(n_estimators=5, max_depth=3).fit(x, y), x, "binary.ubj")
export(xgboost.XGBRegressor(n_estimators=5, max_depth=3).fit(x, x[:, 2]), x, "regressor.json")
`;
    expect(await verifies(pythonXgboost!, train, 'binary.ubj')).toContain('100 of 100 rows agree');
    expect(await verifies(pythonXgboost!, '', 'regressor.json')).toContain('100 of 100 rows agree');
  });

  test.skipIf(!pythonSklearn)('writes golden rows of scikit-learn for another exporter', async () => {
    expect(await verifies(pythonSklearn!, LINEAR, 'linear.onnx')).toMatch(
      /outputs label, probabilities.*\n +100 of 100 rows agree/,
    );
  });

  test.skipIf(!pythonSkl2onnx)('writes pipelines of scikit-learn with skl2onnx', async () => {
    expect(await verifies(pythonSkl2onnx!, TEXTS, 'texts.onnx')).toContain('4 of 4 rows agree');
  });
});
