// Writes docs/ONNX.md from the mappings in the operator folders. `--check` only compares. Needs a build.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { onnxOperators } from '@brezel/flour';

const rows = [...onnxOperators]
  .sort((a, b) => a.domain.localeCompare(b.domain) || a.operator.localeCompare(b.operator))
  .map(({ domain, operator, versions: [from, to] }) => `| ${domain || 'ai.onnx'} | ${operator} | ${from} to ${to} |`);

const text = `# ONNX import

\`importOnnx(bytes, flour)\` raises a graph to a Flour program, row by row: the first axis of every input is the row, and every row answers as it
does alone. The file defines the answer, also where its exporter meant something else; \`npx brezel inspect\` shows warnings for known faults.

- Tokenizers: RE2 patterns, leftmost-longest, \`.\` matches a newline. Padding tokens of a batch do not exist here.
- StringNormalizer: case folding is one code point for one code point and needs no locale. Its stop words remove whole texts: such a row is treated as
  empty, as it is when it is alone.
- ZipMap gives \`{ name: probability }\`. Labels of shape [N], [N, 1] or [1, N] are one label a row.
- OneHotEncoder gives the columns of its categories without their own axis: \`[N, values * categories]\`. With \`zeros=0\` an unknown category is an error
  of its row.
- Binarizer gives 0 for NaN, where onnxruntime refuses the batch. A NaN takes the branch of missing values at every node of a tree, NEQ included.
  Keys and categories must be distinct.
- A post transform of a regressor's only target is left out but for PROBIT, as onnxruntime does; importing warns of it.
- Of two classes whose leaves score both, the greater score is the label (onnxruntime looks at the second alone).
- N-grams that skl2onnx left as one string with spaces never match; importing warns of it, \`repairNgrams\` splits them.
- What cannot be imported is an error that names node, operator, domain and opset.

Operators whose inputs are all constant are computed while importing. This table is written by \`node scripts/gen-onnx-docs.mjs\`.

| domain | operator | opset versions |
|---|---|---|
${rows.join('\n')}
`;

const target = new URL('../docs/ONNX.md', import.meta.url);
if (existsSync(target) && readFileSync(target, 'utf8') === text) process.exit(0);
if (process.argv.includes('--check')) {
  console.error('docs/ONNX.md is not in step with the operators: node scripts/gen-onnx-docs.mjs');
  process.exit(1);
}
writeFileSync(target, text);
