// Writes docs/operators.md: methods from their docstrings, operators from their definitions, ONNX
// sources from the mappings beside them. `--check` only compares. Needs a build.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { operators } from '@brezel/flour';
import { fastKernels } from '@brezel/runtime';
import { allTensorOperators, kernelOfOperator } from '@brezel/tensors';
import { importSources } from './import-sources.mjs';

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
 * The sources of methods: folders of operators and of compositions, compositions of one file, and
 * the operators of users.
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

/** Every docstring in a `declare module`, with the method it stands over. */
function methodsOf({ text }) {
  const declared = [...text.matchAll(/^declare module [^{]*\{\n([\s\S]*?)^\}/gm)].map(([, body]) => body).join('\n');
  const found = [
    ...declared.matchAll(/\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\s*(\w+)(?:<[^(]*>)?\(([\s\S]*?)\): (?:Flow|Columns)/g),
  ];
  return found.map(([, comment, name, signature]) => {
    return { name, kind: kindOf(signature), ...factsOf(comment) };
  });
}

/** First paragraph, shapes and sources of a docstring. */
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

/** What a method is called on: the first kind of its `this`. */
function kindOf(signature) {
  if (/NoInfer/.test(signature)) return 'any';
  return /this: Flow<'(\w+)'>/.exec(signature)?.[1] ?? 'context';
}

/** ONNX operators that the mappings of a folder convert: `Scaler 1-5`. */
const raisedBy = ({ onnx }) =>
  onnx.map(
    ({ domain, operator, versions: [from, to] }) => `${domain === '' ? '' : `${domain}:`}${operator} ${from}-${to}`,
  );

const mapped = folders.filter(({ path }) => path.endsWith('/') && existsSync(new URL(`${path}onnx.ts`, source)));
const mappings = await importSources(
  'flour',
  mapped.map(({ path }) => `${path}onnx.ts`),
);
const onnx = new Map(mapped.map(({ path }, at) => [path, raisedBy(mappings[at])]));
/** The folder in which an operator is defined. */
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
const sections = Object.entries(kinds).map(([kind, title]) => {
  const rows = distinct(methods.filter((one) => one.kind === kind))
    .sort(byName)
    .map(({ name, what, shapes, sources }) => [`\`${name}\``, what, shapes, sources]);
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
  if (annotations.alias) return 'none needed: the same memory, typed otherwise';
  if (doc.kernels === undefined) return 'JavaScript (reference)';
  const shown = doc.kernels.map((kernel) => (Object.hasOwn(fastKernels, kernel) ? `**${kernel}**` : kernel));
  return shown.join(', ');
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
    const raised = onnx.get(home.get(name)) ?? [];
    return [`\`${name}\``, doc.does, doc.types, holds.join('<br>'), enginesOf(operator), raised.join(', ')].map(cell);
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

const text = `# Operators

What pipelines are made of. Every operator has a slow reference in TypeScript, which is its definition; kernels of the addon and fast JavaScript
kernels give the same bits on every machine. This page is written by \`node scripts/gen-operator-docs.mjs\` from the methods' docstrings (which say
more: options, cost, errors, an example) and the operators' definitions. [Operators of your own](custom-operators.md) go where these do.

- [What you write](#what-you-write): methods of flows.
- [What EXPLAIN shows](#what-explain-shows): the operators that methods and importers make of it.
- [Operators over whole tensors](#operators-over-whole-tensors): for ONNX graphs whose rows cannot be kept apart.

One row of a flow is a text, tokens, a vector (dense or sparse), a number, a map of names to numbers, or a dictionary of open keys. \`[n]\` is a vector of n elements.

## What you write

\`text.tokenize().wordNgram({ vocabulary }).logistic({ weights })\`. \`after\` tells what the method is a form of.

${sections.join('\n\n')}

### Compositions

These methods define no operator. Each one composes operators, and EXPLAIN shows those.

${table(['method', 'from', 'what it does', 'shapes', 'after'], compositionRows)}

## What EXPLAIN shows

Attributes and parameters are those in a plan: attributes are small plain data, parameters lie in the object store, each once. What training gives
must be \`finite\`, or anything but NaN (\`no NaN\`), unless \`nonFinite: 'allow'\` says otherwise. \`runs as\` names the
kernels of the addon, fused ones among them; those in bold have a fast twin in JavaScript, where others run as reference when there is no addon.
\`ONNX\` lists what is imported as this operator, or with its help, and the operator sets.

${table(['operator', 'what it does', 'types', 'attributes and parameters', 'runs as', 'ONNX'], operatorRows)}

## Operators over whole tensors

Shapes are known at run time only. All have a reference in TypeScript. Those with \`native\` have a kernel of the addon beside it, with the same bits, for float32 tensors;
\`mat_mul\` and \`conv\` take float64, 16-bit floats and int32, too, \`pair\` float64, and \`strided\` whatever is of 4 or 8 bytes. They run on the calling thread, over
tensors where they lie.

${table(['domain', 'operator', 'operator sets', 'runs as'], tensorRows)}
`;

const target = new URL('../docs/operators.md', import.meta.url);
if (existsSync(target) && readFileSync(target, 'utf8') === text) process.exit(0);
if (process.argv.includes('--check')) {
  console.error('docs/operators.md is not in step with the operators: node scripts/gen-operator-docs.mjs');
  process.exit(1);
}
writeFileSync(target, text);
