// Writes docs/ONNX.md from the mappings in the operator folders. `--check` only compares. It needs
// a build.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { onnxOperators } from '@brezel/flour';
import { allTensorOperators, controlOperators } from '@brezel/tensors';
import { importSources } from './import-sources.mjs';
import { wrapMarkdown } from './wrap-prose.mjs';

const [{ rowOperators }, { importOptionNames }] = await importSources('onnx', [
  'rows/rules/index.ts',
  'import-options.ts',
]);

/** Each option of `importOnnx`: its values with the default first, the flag, and its effect. */
const options = {
  name: ['the name of the graph, or another text', '`name=model.onnx`', 'the name of the program and of its plan'],
  shapes: ['`{}`, or `{ x: [null, 3] }`', '`--shape x=N,3`', 'sets sizes of input axes that the file does not declare'],
  repairNgrams: [
    '`false`, `true`',
    '`--repair-ngrams`',
    'splits n-grams that skl2onnx wrote as one string with spaces',
  ],
  nonFinite: [
    "`'refuse'`, `'allow'`",
    '`--allow-non-finite`',
    'accepts learned parameters that are NaN, or infinite where only finite numbers are valid',
  ],
  blackBox: [
    "`'forbid'`, `'allow'`, `'prefer'`, or a function that decides for each node",
    '`--black-box CHOICE`',
    '`allow`: [another runtime](backends.md) runs unsupported operators. `prefer`: it runs every operator that it supports',
  ],
  rowByRow: [
    '`false`, `true`, or `{ maxSteps, maxElements }`',
    '',
    'runs a graph that cannot become a row program once for each row',
  ],
  externalData: [
    'none, or a function',
    'the folder of the model',
    'returns the bytes of files in which the model stores weights: `externalDataIn(folder)`',
  ],
  limits: ['`{}`, or some of the [limits](#limits)', '`--limit NAME=N`', 'limits the work and memory of the import'],
  progress: ['none, or a function', '', 'receives the progress of the import'],
};
const undescribed = Object.keys(importOptionNames).filter((name) => !Object.hasOwn(options, name));
const unknown = Object.keys(options).filter((name) => !Object.hasOwn(importOptionNames, name));
if (undescribed.length + unknown.length > 0)
  throw new Error(`options of importOnnx: ${undescribed} without a description, ${unknown} that do not exist`);
const optionRows = Object.entries(options)
  .map(([name, [values, flag, effect]]) => `| \`${name}\` | ${values} | ${flag} | ${effect} |`)
  .join('\n');

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
| \`importOnnx(bytes, flour)\` | a row program: the first axis of every input counts the rows, and the answer of a row does not depend on other rows |
| \`importTensors(bytes)\` | a tensor program, for graphs that mix rows or have no rows ([below](#tensor-programs)) |
| \`importModel(bytes, flour)\` | a row program if possible, otherwise a tensor program; \`why\` is the reason |
| \`await importModelAsync(bytes, flour)\` | a compiled plan of a row program ([below](#import-on-a-worker-thread)) |

The ONNX file of a model defines its answers. If an exporter wrote a wrong file, Brezel does not correct the file but warns. \`npx brezel inspect model.onnx\` shows the warnings. With \`--verbose\`, the command also shows how Brezel converted each node. If a node is unsupported, the error names the node, its operator, domain and opset. onnxruntime can run unsupported operators as [black boxes](backends.md).

## Options

| option of \`importOnnx\` | values, the default first | flag of \`brezel\` | effect |
|---|---|---|---|
${optionRows}

## Import on a worker thread

\`importModelAsync\` imports and compiles on a worker thread. The event loop can do other work
meanwhile. Receiving and registering the first result blocks the event loop for 1 to 4 ms of CPU time: Node.js compiles code that runs for the first time. Each later result takes 0.8 ms, both for a model of
9 MB and for a model of 144 MB, because parameters are not copied. Plans with more than a thousand
inputs or stages are read and registered in several turns of the event loop.

\`\`\`ts
const model = await importModelAsync(await readFile('model.onnx'), flour);
await runtime.registerAsync(model);
model.release(); // the runtime holds its own references
\`\`\`

\`importModelAsync\` returns a compiled plan with the properties of the file: \`kind\`, \`warnings\`, \`operators\` and
others. The plan equals the plan of \`importOnnx(bytes, flour).program.plan()\`. \`importModelAsync\` also
imports files of LightGBM, XGBoost, ML.NET and scikit-learn.

| not possible | instead |
|---|---|
| extend the model in Flour | \`importOnnx\`, which returns a program |
| graphs over whole tensors | \`importModel\` and \`registerTensors\`, or the option \`rowByRow\` |
| the option \`progress\`, a function as \`blackBox\`, and a \`flour\` with the options \`rules\` or \`observe\` | \`importOnnx\`, because functions cannot be sent to a thread (\`ERR_IMPORT_OPTION\`) |
| \`externalData\` | \`externalFolder\`, the folder with the files of weights |

If the model has [nodes of custom domains](custom-operators.md#nodes-of-an-onnx-file), pass the URLs
of the modules that define the custom operators in the option \`operatorModules\`. The worker thread
imports these modules before the model.

The option \`signal\` of \`importModelAsync\` ends an import. If the import thread runs out of memory, the import fails with
\`ERR_IMPORT_THREAD\`, and the process continues. One thread imports all models of the process, one
after the other; it ends after 30 idle seconds.

## Limits

A small file can declare a huge tensor. The option \`limits\` therefore limits the work and memory of an import. If an import exceeds a limit, it fails with \`ERR_ONNX_LIMIT\`; the error names the limit, its value, the value that the import needs, and the node. The limits count operations and not time, so every machine accepts the same files ([ADR 16](adr/0016-import-budget.md)).

\`\`\`ts
importOnnx(bytes, flour, { limits: { elements: 2 ** 24 } });
\`\`\`

| limit | default | counts |
|---|---|---|
| \`nodes\` | 5,000 | nodes of the graph. Nodes of a function or subgraph count each time the graph uses it. In a row program, a Split counts once for each output, and a Sum, Mean, Max, Min or Einsum once for each input after the first |
| \`elements\` | 2^22 | elements of lists that the import builds: indices, computed constants, parameters |
| \`bytes\` | 2^26 | bytes of these lists |
| \`steps\` | 2^24 | steps of about 4 ns: a multiplication counts one step, slow work on an element counts several |
| \`fileBytes\` | 2^31 - 1 | bytes of the file |
| \`items\` | 1,000,000 | protobuf messages, names and dimensions in the file |
| \`depth\` | 64 | levels of protobuf messages inside messages; a subgraph adds three levels |
| \`textBytes\` | 2^28 | bytes of one name or description |

Each byte of the file and of its external data adds 6 elements, 48 bytes and 96 steps to the limits, and 1/2048 node to the default limit of nodes. If you pass a greater \`limits.nodes\`, \`plan()\` also accepts this number of operators. The property \`spent\` of the imported model contains the elements, bytes and steps that the import used.

## Row programs

If all inputs of a node are constant, Brezel computes the node during the import. It does not compute random operators, unknown operators, or results that are sequences. For nodes that depend on the row, the importer tracks which axis of their values counts the rows ([ADR 8](adr/0008-rows-of-any-graph.md)). A node such as Transpose can move the rows to another axis.

| node | becomes |
|---|---|
| an operator of the [table below](#operators-of-row-programs) | the operator of Flour with the same meaning |
| transposes, slices, joins, repeats | a selection of elements |
| elementwise operators of any shape | operators over vectors |
| reductions along any axes | reductions of neighboring elements |
| MatMul, Einsum | batches of matrix products |
| other operators in the list at the end of this section | the tensor operator, which JavaScript runs once for each row |

\`npx brezel explain\` shows which stages run in JavaScript. If a graph mixes rows, \`importOnnx\` fails with ERR_ONNX_SHAPE. Examples are a mean over all rows, and a matrix product of rows with other rows.

- Exporters write some operators of scikit-learn as a graph of many nodes: KMeans, PolynomialFeatures, nearest neighbors, IsolationForest, naive Bayes, Gaussian mixtures, and matrix products with a bias. Brezel recognizes these graphs and runs one operator instead, which gives the same bits as the graph. Likelihoods and anomaly scores are the exception: Brezel computes them in float64 and rounds once.
- If a Scan reads constants and its state never changes, Brezel runs the nodes of its body once, for all entries together. skl2onnx writes such a Scan for the distances of nearest neighbors.
- Brezel unrolls every other Scan over entries of the row, and every Loop whose trip count and conditions are constants: it converts the body once for each iteration. The iterations of one graph may add at most 500 nodes ([ADR 29](adr/0029-unrolled-iterations.md) defines how nodes are counted).
- A graph cannot become a row program if it contains one of these nodes: a Loop whose trip count or condition depends on the row, a Scan over the rows, a Scan of operator set 8, or a node whose iterations add more than 500 nodes. With the option \`rowByRow\`, Brezel runs the whole graph once for each row, as if the row were the whole request. If the graph mixes rows, the answers then differ from a request with all rows. The command line and the registry set this option.
- Brezel also accepts a graph that was exported for a single row: the first axis of its inputs has the size 1, and constants of the graph may contain this 1, for example the shape of a Reshape.
- If an input or output has more than two axes, its row is a nested list.

The importer can track the rows through these operators: ${rowOperators('').join(', ')}.

## Answers of operators

| operator | behavior |
|---|---|
| Tokenizer | patterns have the syntax of RE2 and find the leftmost longest match; \`.\` matches a newline. A row has no padding tokens, as in onnxruntime for a request with one row. In a batch, onnxruntime pads the shorter rows, and an n-gram vocabulary that contains \`pad_value\` counts the padding |
| StringNormalizer | changes case one code point at a time, without a locale. A row program accepts stop words only in front of a Tokenizer: a text that equals a stop word becomes empty. A tensor program removes the elements that equal a stop word |
| a map as an input | becomes a dictionary: each row is an object or a Map. Only DictVectorizer and CastMap (sparse packing) can read it |
| ZipMap | a row program returns \`{ name: probability }\`. A tensor program returns the tensor of scores, and a warning contains the labels. Labels of shape [N], [N, 1] or [1, N] give one label per row |
| OneHotEncoder | with \`zeros=0\`, a row with an unknown category fails. If the categories have another type than the input, no category matches. The import then fails with \`zeros=0\`; otherwise it warns, and all outputs are 0 |
| Binarizer | returns 0 for NaN; onnxruntime rejects the batch |
| trees | NaN takes the branch for missing values at every node, also at nodes with BRANCH_NEQ. Keys and categories must be distinct |
| TreeEnsembleRegressor | with one target, only the first weight of a leaf counts; with several targets, weights of a leaf are added, as in onnxruntime |
| SOFTMAX_ZERO of scores that are all 0 | returns zeros; onnxruntime returns NaN |
| post transform of a regressor with one target | is ignored except for PROBIT, as in onnxruntime; the import warns |
| classifiers of two classes whose leaves score both classes | the class with the greater score is the label; onnxruntime reads the second score only |
| Cast of texts to numbers | the whole text must be a decimal number such as \`1e3\`, or for a float also \`INF\` or \`NaN\` (upper or lower case, white space around it is allowed). A row with any other text fails; onnxruntime reads \`1abc\` as 1 |
| Cast of numbers to texts | writes numbers as onnxruntime does: \`1e+08\`, \`INF\`, \`NaN\`, and float64 as C's \`%.8g\`. float32 is an exception: Brezel writes the fewest digits that identify the number, 0.3, whereas onnxruntime writes 0.30000001 |
| Cast to narrow integers | keeps the low bits. Brezel computes integers of 8 and 16 bits as int32, and uint32 as int64 |

If an input has an integer type of 8, 16 or 32 bits, a row with a value outside the range of the type fails. For an input of type uint64, a row fails if a value is 2^63 or greater. A result of type uint64 is returned as the int64 with the same bits. Values of inputs of type float16 and bfloat16 are rounded to these types.

In these cases, an exporter writes a file that differs from the trained model. Brezel warns about them:

- XGBoost models lose the weights of DART trees and, in some versions of the exporter, \`base_score\`. Brezel recognizes these models by trees that compare with \`<\`.
- Boosted trees: float64 thresholds become float32. With a Poisson, gamma or Tweedie loss, the file returns the logarithm of the answer.
- Nearest neighbors: the setting \`weights='distance'\` is lost.
- Text vectorizers with stop words: the setting \`lowercase=False\` is lost.
- In text vectorizers with the default pattern, a letter beyond ASCII ends a word, and n-grams contain words of one letter.
- skl2onnx writes some n-grams as one string with spaces. These n-grams never match; the option \`repairNgrams\` and the flag \`--repair-ngrams\` split them.
- Some files declare another number of columns for an output than the graph computes. The answers have the number of columns that the graph computes.

## Operators of row programs

\`node scripts/gen-onnx-docs.mjs\` writes this table.

| domain | operator | opset versions |
|---|---|---|
${table(onnxOperators)}

## Tensor programs

\`importTensors(bytes)\` imports a graph as a tensor program. The shapes of its tensors are known only at run time. [ADR 6](adr/0006-row-and-tensor-programs.md) explains why Brezel has two kinds of programs.

\`\`\`ts
const model = importModel(readFileSync('model.onnx'), flour, { externalData: externalDataIn('.') });
if (model.kind === 'tensor') {
  const tensors = runtime.registerTensors(model.program);
  const { y } = await runtime.predictTensors(tensors, { x: { element: 'float32', shape: [2], data: Float32Array.of(1, 2) } });
}
\`\`\`

| topic | behavior |
|---|---|
| functions of the file | are inlined; a function replaces an operator of the same name |
| If, Loop, Scan | run their subgraphs. If a Loop has no condition as input, the condition that its body computes ends the Loop, as in onnxruntime. If a Scan runs no iteration, its scan outputs are empty |
| weights in other files | \`externalData\` of the importers. \`externalDataIn(folder)\` reads that folder and its subfolders only; the command line reads the folder of the model |
| inputs with an initializer | optional from IR version 4 on |
| values of an optional type | inputs may be omitted; the answer omits absent outputs |
| maps and sparse values as inputs or outputs, complex numbers | unsupported |
| floats of 8 and 4 bits, integers of 4 and 2 bits | operators that move, cast or quantize values support these types. \`data\` has one entry for each element: \`{ element: 'int4', data: Int8Array }\` |
| casts to integers of 4 and 2 bits | round halves to even and keep the low bits |
| casts of NaN to \`float4e2m1\` | return 6 |
| size of a request | 2^26 elements and a million nodes and iterations: \`maxElements\` and \`maxSteps\` of \`registerTensors\` |
| random operators | return new numbers in every run, or the same numbers in every run if the node has a seed. Other runtimes return other numbers |
| training | Dropout in training mode draws random numbers. The optimizers of ai.onnx.preview.training are supported; Gradient is unsupported |
| ImageDecoder, BeamSearch, GreedySearch, Sampling, DecoderMaskedMultiHeadAttention | unsupported; possible as [black boxes](backends.md) |
| sparse initializers, \`sparse_value\` of Constant | become dense tensors, whose size counts toward \`limits\` |
| operators that Brezel does not have | you can provide them with the option \`resolvers\` of \`importTensors\` |

In some cases, the specification of ONNX does not define the answer. Brezel then gives the answer of onnxruntime:

- Resize computes coordinates in float32. In versions before 11, Resize rounds a coordinate up if the axis gets shorter.
- \`clip\` of an LSTM limits the inputs of its gates and does not limit the state.
- If all inputs of DynamicQuantizeLinear are zero, the scale is 1.
- RoiAlign with mode \`max\` returns the greatest weighted entry, as in the test of ONNX.
- In Attention, if the mask excludes all keys of a query, the output of this query is zero. With a causal mask, the last query sees all keys (onnxruntime 1.23).
- If \`output_shape\` of MaxUnpool is larger than necessary, zeros are added at the end.

\`npx brezel verify model.onnx --test-data folder\` runs the model on the inputs in the folder and compares the outputs with the expected outputs. It accepts row programs and tensor programs.

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
