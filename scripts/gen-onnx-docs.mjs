// Writes docs/ONNX.md from the mappings in the operator folders. `--check` only compares. Needs a
// build.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { onnxOperators } from '@brezel/flour';
import { allTensorOperators, controlOperators } from '@brezel/tensors';
import { importSources } from './import-sources.mjs';
import { wrapMarkdown } from './wrap-prose.mjs';

const [{ rowOperators }] = await importSources('onnx', ['rows/rules/index.ts']);

const table = (operators) =>
  [...operators]
    .sort((a, b) => a.domain.localeCompare(b.domain) || a.operator.localeCompare(b.operator))
    .map(({ domain, operator, versions: [from, to] }) => `| ${domain || 'ai.onnx'} | ${operator} | ${from} to ${to} |`)
    .join('\n');
const ofControl = controlOperators.map((one) => ({ ...one, domain: '' }));

const text = wrapMarkdown(`# Import an ONNX model

\`\`\`ts
import { createFlour, createRuntime, importModel } from 'brezel';

const flour = await createFlour();
const runtime = createRuntime({ store: flour.store });
const model = importModel(readFileSync('model.onnx'), flour);
if (model.kind === 'row') {
  const plan = runtime.register(model.program.plan());
  runtime.predictSync(plan, { x: [1, 2, 3] });
}
\`\`\`

| function | result |
|---|---|
| \`importOnnx(bytes, flour)\` | a program by rows: the first axis of every input is the row, and each row gets the answer that it gets alone |
| \`importTensors(bytes)\` | a program over whole tensors, for graphs that mix rows or have none ([below](#whole-tensors)) |
| \`importModel(bytes, flour)\` | by rows if possible, otherwise over whole tensors; \`why\` is the reason |

The file defines the answer. Brezel does not correct a file that its exporter wrote wrongly; it warns.
\`npx brezel inspect model.onnx\` shows the warnings, and \`--verbose\` shows how each node was converted.
An error names the node, its operator, domain and opset. Operators that Brezel does not have can run
in onnxruntime as [black boxes](backends.md).

## Limits

A small file can declare a huge tensor. \`limits\` bounds what an import may spend; the error
\`ERR_ONNX_LIMIT\` names the limit, the node and both numbers. The limits count operations, not time: a
file is accepted on every machine or on none ([ADR 16](adr/0016-import-budget.md)).

\`\`\`ts
importOnnx(bytes, flour, { limits: { elements: 2 ** 24 } });
\`\`\`

| limit | default | counts |
|---|---|---|
| \`nodes\` | 10,000 | nodes of the graph; functions and subgraphs each time they are used |
| \`elements\` | 2^22 | elements of lists that the import builds: columns, indices, folded constants, parameters |
| \`bytes\` | 2^26 | bytes of these lists |
| \`steps\` | 2^24 | elements read or written, and multiplications |
| \`fileBytes\` | 2^31 - 1 | bytes of the file |
| \`items\` | 1,000,000 | messages, names and dimensions in the file |
| \`depth\` | 64 | nesting of messages |
| \`textBytes\` | 2^28 | bytes of one name |

Each byte of the file and of its external data adds 2 elements, 16 bytes and 16 steps to the
limits. \`spent\` of the imported model says what the import used.

## Programs by rows

Brezel computes operators with constant inputs during the import. A rule for each other operator shows
where its rows are ([how](adr/0008-rows-of-any-graph.md)), so rows may be on any axis between nodes.

| node | becomes |
|---|---|
| an operator of the table below | that operator of Flour |
| transposes, slices, joins, repeats | a selection of columns |
| elementwise operators of any shape | operators over vectors |
| reductions along any axes | reductions of neighboring columns |
| MatMul, Einsum | batches of matrix products |
| other operators with a rule | the tensor operator, in JavaScript, row by row |

\`npx brezel explain\` shows which stages run in JavaScript. A graph that mixes rows (a mean over the
batch, a product of rows with rows) is ERR_ONNX_SHAPE.

- Brezel recognizes graphs that exporters write for one operator: KMeans, PolynomialFeatures, nearest
  neighbors, IsolationForest, naive Bayes, Gaussian mixtures, and matrix products with a bias. Answers
  are the same to the bit, except for likelihoods and scores: these are computed in float64 and rounded once.
- A Scan over constants (the distances of skl2onnx's nearest neighbors) is computed for all entries at once.
- In a file for one row (a first axis of 1), shapes may contain that 1.
- Inputs and outputs with more than two axes have nested lists as rows.

Rules exist for ${rowOperators('').join(', ')}.

## Answers of operators

| operator | behavior |
|---|---|
| Tokenizer | RE2 patterns, leftmost-longest; \`.\` matches a newline. Padding tokens are not added |
| StringNormalizer | changes case one code point at a time, without a locale. Before a Tokenizer, a text equal to a stop word becomes empty; elsewhere stop words remove elements of the list |
| a map as an input | a dictionary: each row is an object or a Map. DictVectorizer and CastMap (sparse packing) read it |
| ZipMap | \`{ name: probability }\`; over whole tensors, the tensor of scores and a warning with the labels. Labels of shape [N], [N, 1] or [1, N] are one label per row |
| OneHotEncoder | with \`zeros=0\`, an unknown category is an error of its row. Categories of another type than the input never match: all outputs are 0, with a warning |
| Binarizer | 0 for NaN, where onnxruntime rejects the batch |
| trees | a NaN takes the branch for missing values at every node, BRANCH_NEQ included. Keys and categories must be distinct |
| TreeEnsembleRegressor | with one target, a leaf has its first weight; with several targets, weights are added, as in onnxruntime |
| post transform of a regressor with one target | ignored except for PROBIT, as in onnxruntime, with a warning |
| classifiers of two classes whose leaves score both | the greater score is the label; onnxruntime reads the second alone |
| Cast of texts | reads whole decimals (\`1e3\`, \`INF\`, \`NaN\` in any case, with white space around). Other texts are an error of their row; onnxruntime reads \`1abc\` as 1 |
| Cast to texts | onnxruntime's form (\`1e+08\`, \`INF\`, \`NaN\`; doubles \`%.8g\`). float32 has the fewest digits that identify it: 0.3, where onnxruntime writes 0.30000001 |
| Cast to narrow integers | keeps the low bits. (u)int8 and (u)int16 are computed as int32, uint32 as int64 |

Inputs of narrow integers are checked: a value outside the type is an error of its row, for uint64
from 2^63 on. Results in uint64 are the int64 with the same bits. Inputs of float16 and bfloat16 are
rounded to these types.

Exporters lose information. Warnings name these cases:

- trees that compare with \`<\`: XGBoost's DART weights and base_score
- boosted trees: float64 thresholds become float32, and the exp of poisson, gamma and tweedie losses is lost
- nearest neighbors: \`weights='distance'\`
- stop words: \`lowercase=False\`
- n-grams that skl2onnx wrote as one string with spaces never match; \`repairNgrams\` splits them
- outputs declared with another number of columns than the graph computes

## Operators of programs by rows

This table is written by \`node scripts/gen-onnx-docs.mjs\`.

| domain | operator | opset versions |
|---|---|---|
${table(onnxOperators)}

## Whole tensors

\`importTensors(bytes)\` imports a graph as a program over whole tensors, with shapes at run time
([why two kinds](adr/0006-row-and-tensor-programs.md)).

\`\`\`ts
const model = importModel(readFileSync('model.onnx'), flour, { externalData: externalDataIn('.') });
if (model.kind === 'tensor') {
  const tensors = runtime.registerTensors(model.program);
  const { y } = await runtime.predictTensors(tensors, { x: { element: 'float32', shape: [2], data: Float32Array.of(1, 2) } });
}
\`\`\`

| topic | behavior |
|---|---|
| functions | inlined; a function replaces an operator of the same name |
| If, Loop, Scan | run their subgraphs. The body ends a Loop without a condition, as in onnxruntime. A Scan output without iterations is empty |
| weights in other files | \`externalData\` of the importers. \`externalDataIn(folder)\` reads that folder and its subfolders only; the command line reads the folder of the model |
| inputs with an initializer | optional from IR version 4 on |
| values of an optional type | may be left out; the answer leaves out absent outputs |
| maps and sparse values as inputs or outputs, complex numbers | unsupported |
| floats of 8 and 4 bits, integers of 4 and 2 bits | moved, cast and quantized; each is one entry of \`data\`: \`{ element: 'int4', data: Int8Array }\` |
| casts to such an integer | round halves to even and keep the low bits; NaN becomes 6 in \`float4e2m1\` |
| size of a request | 2^26 elements and a million nodes and iterations: \`maxElements\` and \`maxSteps\` of \`registerTensors\` |
| random operators | new numbers in every run, or the same in every run if the node has a seed. They differ from those of other runtimes |
| training | Dropout in training mode draws random numbers; optimizers of ai.onnx.preview.training are plain functions. Gradient is unsupported |
| ImageDecoder, BeamSearch, GreedySearch, Sampling, DecoderMaskedMultiHeadAttention | unsupported; possible as [black boxes](backends.md) |
| sparse initializers, \`sparse_value\` of Constant | become dense; \`limits\` bounds them |
| other operators | \`resolvers\` of \`importTensors\` provide operators that Brezel does not have |

Where ONNX's text leaves the answer open, operators answer as onnxruntime does:

- Coordinates of Resize are float32; its oldest version takes the next entry where an axis gets shorter.
- \`clip\` of an LSTM bounds the inputs of its gates, not the state.
- DynamicQuantizeLinear of zeros has the scale 1.
- RoiAlign of mode max takes the greatest weighted entry, as ONNX's own test does.
- In Attention, a query that sees no key gives zeros, and the last query is aligned with the last key (version 1.23).
- An \`output_shape\` of MaxUnpool larger than necessary adds zeros at the end.

\`npx brezel verify model.onnx --test-data folder\` replays ONNX test data with either kind of program.

| domain | operator | opset versions |
|---|---|---|
${table([...allTensorOperators(), ...ofControl])}
`);

const target = new URL('../docs/ONNX.md', import.meta.url);
if (existsSync(target) && readFileSync(target, 'utf8') === text) process.exit(0);
if (process.argv.includes('--check')) {
  console.error('docs/ONNX.md is not in step with the operators: node scripts/gen-onnx-docs.mjs');
  process.exit(1);
}
writeFileSync(target, text);
