// Writes docs/ONNX.md from the mappings in the operator folders. `--check` only compares. Needs a
// build.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { onnxOperators } from '@brezel/flour';
import { allTensorOperators, controlOperators } from '@brezel/tensors';
import { importSources } from './import-sources.mjs';

const [{ rowOperators }] = await importSources('onnx', ['rows/rules/index.ts']);

const table = (operators) =>
  [...operators]
    .sort((a, b) => a.domain.localeCompare(b.domain) || a.operator.localeCompare(b.operator))
    .map(({ domain, operator, versions: [from, to] }) => `| ${domain || 'ai.onnx'} | ${operator} | ${from} to ${to} |`)
    .join('\n');
const ofControl = controlOperators.map((one) => ({ ...one, domain: '' }));

const text = `# ONNX import

\`importOnnx(bytes, flour)\` raises a graph to a Flour program, row by row: the first axis of every input is the row, and every row answers as it
does alone. The file defines the answer, also where its exporter meant something else; \`npx brezel inspect\` shows warnings for known faults.

- Tokenizers: RE2 patterns, leftmost-longest, \`.\` matches a newline. Padding tokens of a batch do not exist here.
- StringNormalizer: case folding is one code point for one code point and needs no locale. Its stop words remove elements of a list. Before a
  Tokenizer exporters mean a column of texts: there a row that equals one is treated as empty, as it is when it is alone. Elsewhere the list is one tensor.
- A map as an input is a dictionary: each row gives an object, or a Map. DictVectorizer and CastMap (sparse packing; a row of dense packing has no
  fixed size) read it.
- ZipMap gives \`{ name: probability }\`; over whole tensors its output is the tensor of scores, and a warning tells the labels of the columns. Labels of shape [N], [N, 1] or [1, N] are one label a row.
- With \`zeros=0\` an unknown category of OneHotEncoder is an error of its row.
- Binarizer gives 0 for NaN, where onnxruntime refuses the batch. A NaN takes the branch of missing values at every node of a tree, NEQ included.
  Keys and categories must be distinct.
- A post transform of a regressor's only target is left out but for PROBIT, as onnxruntime does; importing warns of it.
- Of two classes whose leaves score both, the greater score is the label (onnxruntime looks at the second alone).
- Cast of texts reads whole decimals (\`1e3\`, \`INF\`, \`NaN\` in any case, white space around); what is no number is an error of its row, where
  onnxruntime reads \`1abc\` as 1. Casts to integers and bools go by way of int64. Numbers become texts in onnxruntime's form (\`1e+08\`,
  \`INF\`, \`NaN\`; doubles \`%.8g\`), float32 with the fewest digits that no other float32 is nearer to, as ONNX's node case has it: 0.3, where onnxruntime
  writes 0.30000001. Casts to (u)int8, (u)int16 and uint32 keep the low bits and are held as int32 (uint32: int64); uint64 has
  no row values. Graph inputs of (u)int8, (u)int16, uint32 and uint64 come in as the same types; what such an integer cannot hold (of uint64: from
  2^63 on, too) is an error of its row, and what is computed in uint64 comes out as the int64 of the same bits. Those of float16 and bfloat16 take numbers and round them; what is computed in these types runs as reference.
- A leaf of TreeEnsembleRegressor with one target has its first weight (several targets: weights are summed), as in onnxruntime.
- N-grams that skl2onnx left as one string with spaces never match; importing warns of it, \`repairNgrams\` splits them.
- What exporters lose is not in the file, and the file defines the answer. Warnings tell where to look: trees that compare with \`<\` (XGBoost: DART weights,
  base_score), boosted trees (float64 thresholds become float32; the exp of poisson, gamma and tweedie losses), neighbors (\`weights='distance'\`), stop words
  (\`lowercase=False\`), and outputs that are declared with other columns than the graph gives.
- What cannot be imported is an error that names node, operator, domain and opset. Whole tensors may still take it: below. What they cannot take either,
  another runtime can, as a black box: [backends](backends.md).

Operators whose inputs are all constant are computed while importing. This table is written by \`node scripts/gen-onnx-docs.mjs\`.

| domain | operator | opset versions |
|---|---|---|
${table(onnxOperators)}

Rows may lie at any axis of the tensors between, and shapes may be computed from the number of rows: a rule for each operator tells where they go
([how](adr/0008-rows-of-any-graph.md)). What only moves elements (transposes, slices, joins, repeats) becomes a selection of columns, what computes
each element on its own runs on the elements in a line, reductions along any axes on runs of neighbours, and MatMul and Einsum as batches of matrix
products: all in the addon. What has no kernel of rows there (some operators, others for narrow types) runs in JavaScript by its definition, a row at a
time; \`brezel explain\` tells where. Rules are there for ${rowOperators('').join(', ')}. What mixes rows (a mean over the batch, a matrix product of rows with rows) is
ERR_ONNX_SHAPE; \`importModel\` then takes the graph over whole tensors. Also:

- A Scan over the entries of constants (the distances of skl2onnx's nearest neighbours) is computed for all entries at once.
- Graphs that exporters write for one operator become that operator, where every node is as expected; else they stay nodes. Squared distances of
  KMeans (\`k-means\`), products of PolynomialFeatures (\`polynomial-features\`), votes and means of nearest neighbours (\`k-nearest-neighbors\`), the trees
  and the score of an IsolationForest (\`tree-ensemble\`, \`isolation-score\`), joint likelihoods of Gaussian naive Bayes and of mixtures with full or tied
  covariances (\`gaussian-mixture\`) and of Bernoulli naive Bayes (\`naive-bayes\`), products with a matrix and their bias (\`linear\`: layers, and
  multinomial naive Bayes). Answers keep their bits but for likelihoods and the score, which are float64 and rounded once.
- In a file for one row at a time (a first axis of 1) shapes may say so.
- Inputs and outputs with more than two axes have rows of lists in lists.

## Whole tensors

\`importTensors(bytes)\` reads a graph as it is: a program over whole tensors with shapes at run time, for graphs that mix rows or have none.
\`importModel(bytes, flour)\` tries rows first, and says in \`why\` what they failed at; \`npx brezel inspect\` shows it
([why two kinds](adr/0006-row-and-tensor-programs.md)).

\`\`\`ts
const model = importModel(readFileSync('model.onnx'), flour, { externalData: externalDataIn('.') });
if (model.kind === 'tensor') {
  const tensors = runtime.registerTensors(model.program);
  const { y } = await runtime.predictTensors(tensors, { x: { element: 'float32', shape: [2], data: Float32Array.of(1, 2) } });
}
\`\`\`

- Functions of the model are inlined, before operators of the same name; If, Loop and Scan run their subgraphs. A Loop whose condition is left out is ended by its body all the same, as
  onnxruntime does it and ONNX's text does not. A Scan output without an iteration is empty, as declared.
- Where the text leaves it open, operators answer as onnxruntime: coordinates of Resize are float32, and its oldest version takes the next entry where
  an axis gets shorter; \`clip\` of an LSTM bounds what its gates get, not the state; DynamicQuantizeLinear of zeros alone has the scale 1; RoiAlign of mode max
  takes the greatest weighted entry, as ONNX's own case does. Attention is as version 1.23 of the text has it: a query that sees no key gives zeros,
  and the last query stands beside the last key. An \`output_shape\` of MaxUnpool that is larger adds zeros behind.
- Weights in other files: the option \`externalData\` of the importers. \`externalDataIn(folder)\` reads files of that folder and below, nothing
  else; the command line reads beside the model.
- An input with an initializer is optional from IR version 4 on. Values of an optional type may be left out; such outputs are left
  out of the answer where they are absent. Map and sparse values as inputs or outputs, and complex numbers, are not taken.
- Floats of 8 and 4 bits and integers of 4 and 2 bits are moved, cast and quantized. Each is one entry of \`data\`: \`{ element: 'float8e4m3fn', data: Float32Array }\`,
  \`{ element: 'int4', data: Int8Array }\`. A cast to so small an integer rounds halves to even and keeps the low bits, as ONNX says; to \`float4e2m1\`, NaN is 6.
- A request may make 2^26 elements and run a million nodes and iterations: \`maxElements\`, \`maxSteps\` of \`registerTensors\`.
- What draws random numbers (RandomNormal, RandomUniform, Bernoulli, Multinomial) draws others in every run, unless the node has a seed: then the same in
  every run, on every machine. They are never those of another runtime: ONNX leaves the numbers open.
- A Dropout in training mode (version 12 on) draws like these; optimizers of ai.onnx.preview.training are plain functions. Gradient is refused, as are
  ImageDecoder and what runs a whole search or keeps caches in place (BeamSearch, GreedySearch, Sampling, DecoderMaskedMultiHeadAttention): a runtime of
  language models is another thing; such nodes can be [black boxes](backends.md).
- Sparse initializers and the \`sparse_value\` of Constant are written out, up to 2^26 elements in a file. A Loop gives its body the iteration number and the condition
  as \`[1]\` where it declares them so.
- \`resolvers\` of \`importTensors\` are asked for operators that Brezel does not have.
- \`npx brezel verify model.onnx --test-data folder\` replays ONNX test data, with either kind of program.

| domain | operator | opset versions |
|---|---|---|
${table([...allTensorOperators(), ...ofControl])}
`;

const target = new URL('../docs/ONNX.md', import.meta.url);
if (existsSync(target) && readFileSync(target, 'utf8') === text) process.exit(0);
if (process.argv.includes('--check')) {
  console.error('docs/ONNX.md is not in step with the operators: node scripts/gen-onnx-docs.mjs');
  process.exit(1);
}
writeFileSync(target, text);
