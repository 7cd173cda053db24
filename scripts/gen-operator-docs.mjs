// Writes docs/operators.md: methods from their docstrings, operators from their definitions, ONNX
// sources from the mappings beside the operators. `--check` only compares. It needs a build.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { operators } from '@brezel/flour';
import { allTensorOperators, kernelOfOperator } from '@brezel/tensors';
import { importSources } from './import-sources.mjs';
import { wrapMarkdown } from './wrap-prose.mjs';

const source = new URL('../packages/flour/src/', import.meta.url);
const cell = (text) => text.replace(/\s+/g, ' ').replaceAll('|', '\\|').trim();
const table = (heads, rows) =>
  [
    `| ${heads.join(' | ')} |`,
    `|${heads.map(() => '---').join('|')}|`,
    ...rows.map((row) => `| ${row.join(' | ')} |`),
  ].join('\n');

// ---- folders: methods, operators, ONNX

/**
 * The files that define methods: folders of operators and of compositions, compositions in one
 * file, and custom operators.
 */
const folders = [
  'custom/',
  ...readdirSync(new URL('ops/', source)).map((name) => `ops/${name}/`),
  ...readdirSync(new URL('compositions/', source), { withFileTypes: true }).map(
    (entry) => `compositions/${entry.name}${entry.isDirectory() ? '/' : ''}`,
  ),
]
  .map((path) => ({ path, file: new URL(path.endsWith('/') ? `${path}index.ts` : path, source) }))
  .filter(({ file }) => existsSync(file))
  .map(({ path, file }) => ({ path, text: readFileSync(file, 'utf8') }));
const isComposition = ({ path }) => path.startsWith('compositions/');

/** Returns every docstring in a `declare module`, with the method below it. */
function methodsOf({ text }) {
  const declared = [...text.matchAll(/^declare module [^{]*\{\n([\s\S]*?)^\}/gm)].map(([, body]) => body).join('\n');
  const found = [
    ...declared.matchAll(/\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\s*(\w+)(?:<[^(]*>)?\(([\s\S]*?)\): (?:Flow|Columns|\{)/g),
  ];
  return found.map(([, comment, name, signature]) => {
    return { name, kind: kindOf(signature), ...factsOf(comment) };
  });
}

/** Returns the first paragraph, the shapes and the sources in a docstring. */
function factsOf(comment) {
  const words = comment.replace(/^\s*\* ?/gm, '').trim();
  const [what] = words.split(/\n\n|\s(?=@(?:example|see|throws|param))/);
  const shapes = /Shapes?: ([\s\S]*?)(?=\.?\s+Cost:|\n@|\n\n|$)/.exec(words)?.[1] ?? '';
  const sources = /@see Source: ([\s\S]*?)(?=\n@|$)/.exec(words)?.[1] ?? '';
  return {
    what: cell(what),
    shapes: cell(shapes)
      .split(/\. (?=[A-Z])/)[0]
      .replace(/\.$/, ''),
    sources: cell(sources),
  };
}

/**
 * Returns the kind of flow that has a method: the first kind in the type of its `this`. The kind is
 * `any` if a custom operator decides it, and `context` for a method without `this`.
 */
function kindOf(signature) {
  const self = /\bthis: Flow<\s*([^,>]*)/.exec(signature)?.[1];
  if (self === undefined) return 'context';
  if (self.startsWith('KindOf<')) return 'any';
  const kind = /^'(\w+)'/.exec(self)?.[1];
  if (kind === undefined) throw new Error(`expected a kind in this: Flow<'kind', ...>; received ${self}`);
  return kind;
}

/** Returns the ONNX operators that the mappings in a folder convert: `Scaler 1-5`. */
const convertedBy = ({ onnx }) =>
  onnx.map(
    ({ domain, operator, versions: [from, to] }) => `${domain === '' ? '' : `${domain}:`}${operator} ${from}-${to}`,
  );

const mapped = folders.filter(({ path }) => path.endsWith('/') && existsSync(new URL(`${path}onnx.ts`, source)));
const mappings = await importSources(
  'flour',
  mapped.map(({ path }) => `${path}onnx.ts`),
);
const onnx = new Map(mapped.map(({ path }, at) => [path, convertedBy(mappings[at])]));
/** The folder that defines each operator. */
const home = new Map(
  folders.flatMap(({ path, text }) => {
    const at = /^const at = '([^']+)';/m.exec(text)?.[1];
    return [...text.matchAll(/defineOp\(\{\n {2}name: (?:'([^']+)'|at)/g)].map(([, name]) => [name ?? at, path]);
  }),
);

// ---- methods

const kinds = {
  text: 'From text',
  tokens: 'From tokens',
  vector: 'From vectors',
  scalar: 'From numbers',
  dictionary: 'From dictionaries',
  any: 'From anything',
  context: 'From the context (`flour.`)',
};
const context = readFileSync(new URL('context.ts', source), 'utf8');
const inputs = ['columns', 'dictionary', 'input'].map((name) => {
  const [, comment] = new RegExp(`/\\*\\*((?:(?!\\*/)[\\s\\S])*)\\*/\\s*${name}[<(]`).exec(context);
  return { name, kind: 'context', ...factsOf(comment) };
});
const methods = [...inputs, ...folders.filter((one) => !isComposition(one)).flatMap(methodsOf)];
const distinct = (list) => list.filter((one, at) => list.findIndex(({ name }) => name === one.name) === at);
const byName = (one, other) => one.name.localeCompare(other.name);
for (const { name, kind } of methods)
  if (!Object.hasOwn(kinds, kind)) throw new Error(`method ${name}: no table for the kind ${kind}`);
const sections = Object.entries(kinds).map(([kind, title]) => {
  const rows = distinct(methods.filter((one) => one.kind === kind))
    .sort(byName)
    .map(({ name, what, shapes, sources }) => [`\`${name}\``, what, shapes, sources]);
  if (rows.length === 0) throw new Error(`the table "${title}" has no methods`);
  return `### ${title}\n\n${table(['method', 'what it does', 'shapes', 'after'], rows)}`;
});
const compositionRows = distinct(folders.filter(isComposition).flatMap(methodsOf))
  .sort(byName)
  .map(({ name, kind, what, shapes, sources }) => [
    `\`${name}\``,
    kinds[kind].replace('From ', ''),
    what,
    shapes,
    sources,
  ]);

// ---- operators

function enginesOf({ doc, annotations }) {
  if (annotations.alias) return 'none: the same memory with another type';
  if (doc.kernels === undefined) return 'JavaScript (reference)';
  return doc.kernels.join(', ');
}

const listed = (facts = {}) => Object.entries(facts).map(([name, meaning]) => `\`${name}\`: ${meaning}`);
const refused = { finite: 'finite', number: 'no NaN' };
const learnable = ({ doc, learned = {} }) =>
  listed(doc.parameters).map((text, at) => {
    const wanted = learned[Object.keys(doc.parameters)[at]];
    return wanted === undefined ? text : `${text}; ${refused[wanted]}`;
  });
const operatorRows = [...operators.values()]
  .sort((a, b) => a.name.localeCompare(b.name))
  .map((operator) => {
    const { name, doc } = operator;
    if (doc === undefined) throw new Error(`operator ${name} has no doc`);
    const holds = [...listed(doc.attributes), ...learnable(operator)];
    const onnxNames = onnx.get(home.get(name)) ?? [];
    return [`\`${name}\``, doc.does, doc.types, holds.join('<br>'), enginesOf(operator), onnxNames.join(', ')].map(
      cell,
    );
  });

// ---- tensor operators

const tensorRows = [...new Map(allTensorOperators().map((one) => [`${one.domain}:${one.operator}`, one])).values()]
  .sort((a, b) => a.domain.localeCompare(b.domain) || a.operator.localeCompare(b.operator))
  .map(({ domain, operator }) => {
    const versions = allTensorOperators()
      .filter((one) => one.domain === domain && one.operator === operator)
      .map(({ versions: [from, to] }) => `${from} to ${to}`);
    const kernel = kernelOfOperator(domain, operator);
    return [domain || 'ai.onnx', operator, versions.join(', '), kernel === undefined ? '' : `native \`${kernel}\``];
  });

const text = wrapMarkdown(`# Operators

Pipelines consist of these operators. Each operator has a slow reference implementation in TypeScript, which defines its answers. Kernels of the addon and in WebAssembly give the same bits on every machine. To define other operators, see [custom operators](custom-operators.md).

\`npm run docs\` writes this page from the docstrings of methods and the definitions of operators. Read the docstring of a method for its options, cost, errors and an example.

- [What you write](#what-you-write): methods of flows.
- [What EXPLAIN shows](#what-explain-shows): the operators that methods and importers create.
- [Operators over whole tensors](#operators-over-whole-tensors): for ONNX graphs that mix rows.

The value of a flow for one row is a text, a list of tokens, a vector (dense or sparse), a number, a map from names to numbers, or a dictionary with any keys. \`[n]\` is a vector of n elements.

## What you write

You write a pipeline as a chain of methods, for example
\`text.tokenize().wordNgram({ vocabulary }).logistic({ weights })\`. The column \`after\` names the
operator or the publication that defines the answers of a method.

${sections.join('\n\n')}

### Compositions

Each of these methods combines several operators. EXPLAIN shows the operators, not the method.

${table(['method', 'from', 'what it does', 'shapes', 'after'], compositionRows)}

## What EXPLAIN shows

The table has these columns:

- \`attributes and parameters\`: attributes are small plain data in the plan, and parameters are arrays in the object store. A learned parameter marked \`finite\` or \`no NaN\` is checked, unless you pass \`nonFinite: 'allow'\`.
- \`runs as\`: the kernels of the addon, including kernels that run several operators. Without the addon, the same kernels run in WebAssembly.
- \`ONNX\`: the ONNX operators that the importer converts to this operator or to a related one, and their operator sets.

${table(['operator', 'what it does', 'types', 'attributes and parameters', 'runs as', 'ONNX'], operatorRows)}

## Operators over whole tensors

Tensor programs use these operators. The shapes of their tensors are known only at run time. Every operator has a reference implementation in TypeScript.

If the column \`runs as\` contains \`native\`, the addon has a kernel for float32 tensors, which gives the same bits. The kernels \`mat_mul\` and \`conv\` also support float64, 16-bit floats and int32. \`pair\` also supports float64, and \`strided\` supports every type of 4 or 8 bytes. For other element types, and for tensors with more than 16 axes, the reference implementation runs. Kernels run on the calling thread and read tensors in place.

${table(['domain', 'operator', 'operator sets', 'runs as'], tensorRows)}
`);

const target = new URL('../docs/operators.md', import.meta.url);
if (existsSync(target) && readFileSync(target, 'utf8') === text) process.exit(0);
if (process.argv.includes('--check')) {
  console.error('docs/operators.md is not in step with the operators: node scripts/gen-operator-docs.mjs');
  process.exit(1);
}
writeFileSync(target, text);
