// Writes the tables of inputs, outputs and attributes of each ONNX operator from ONNX's operator
// documents: node scripts/gen-onnx-schemas.mjs ONNX_REPOSITORY/docs
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('usage: node scripts/gen-onnx-schemas.mjs ONNX_REPOSITORY/docs');

/**
 * Returns how many inputs or outputs an operator may have, from its section in a document of ONNX.
 * The heading of the list contains the range: `(1 - 3)` or `(1 - ∞)`. Without such a range, every
 * input and output is required.
 */
function portsOf(section, kind) {
  const [, least, most, body] =
    new RegExp(`#### ${kind}(?: \\((\\d+) - (\\d+|&#8734;)\\))?\\n([^]*?)(?=\\n#### |$)`).exec(section) ?? [];
  if (body === undefined) return { text: '0', optional: [] };
  const ports = [...body.matchAll(/<dt><tt>[^<]*<\/tt>( \(optional\))?/g)];
  const optional = ports.flatMap(([, mark], at) => (mark !== undefined && at < Number(least) ? [at] : []));
  if (least === undefined) return { text: `${ports.length}`, optional };
  const range = most === '&#8734;' ? `${least}..` : least === most ? least : `${least}..${most}`;
  return { text: range, optional };
}

function arityOf(section) {
  const inputs = portsOf(section, 'Inputs');
  return [inputs.text, portsOf(section, 'Outputs').text, ...inputs.optional.map((port) => `?${port}`)].join(' ');
}

/** Returns the names and types of the attributes of an operator, from its section in a document. */
function attributesOf(section) {
  const [, body = ''] = /#### Attributes\n([\s\S]*?)(?=\n#### |$)/.exec(section) ?? [];
  const attributes = [...body.matchAll(/<dt><tt>(\w+)<\/tt> : (?:(list of) )?(\w+)/g)];
  return attributes
    .map(([, name, list, type]) => `${name} ${list === undefined ? type : type.replace(/s?$/, 's')}`)
    .join(', ');
}

/** Returns the versions of each operator, grouped by domain, in the order of ONNX's document. */
function read(file, textOf) {
  const domains = {};
  for (const section of readFileSync(join(folder, file), 'utf8').split(/\n(?=### <a name=|#{1,2} )/)) {
    const [, name, since, mark] = /^### <a name="([\w.]+)-(\d+)">[^ \n]*( \(deprecated\))?/.exec(section) ?? [];
    // skipped, because deprecated versions have no schema
    if (name === undefined || mark !== undefined) continue;
    const at = name.lastIndexOf('.');
    const [domain, operator] = [name.slice(0, Math.max(at, 0)), name.slice(at + 1)];
    domains[domain] ??= {};
    domains[domain][operator] ??= [];
    domains[domain][operator].push([Number(since), textOf(section)]);
  }
  return domains;
}

const written = ['', 'ai.onnx.ml', 'ai.onnx.preview.training'];

/** Writes one table: for each operator, the versions in which its text changed. */
function write(path, comment, constant, textOf) {
  const domains = { ...read('Changelog.md', textOf), ...read('Changelog-ml.md', textOf) };
  for (const domain of written)
    if (domains[domain] === undefined) throw new Error(`the documents contain no operator of the domain "${domain}"`);
  const lines = Object.entries(domains)
    .filter(([domain]) => written.includes(domain))
    .map(([domain, operators]) => {
      const entries = Object.entries(operators)
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([operator, versions]) => {
          const sorted = versions.sort(([a], [b]) => a - b);
          const changes = sorted.filter(([, text], at) => at === 0 || text !== sorted[at - 1][1]);
          return [operator, changes.map(([since, text]) => `${since}: ${text}`).join('; ')];
        })
        .filter(([, text]) => !/^\d+: $/.test(text));
      return `  '${domain}': {\n${entries.map(([operator, text]) => `    ${operator}:\n      '${text}',`).join('\n')}\n  },`;
    });
  const header = `// Written by node scripts/gen-onnx-schemas.mjs from the operator documents of ONNX. ${comment}`;
  writeFileSync(
    new URL(`../packages/onnx/src/${path}`, import.meta.url),
    `${header}\n\nexport const ${constant} = {\n${lines.join('\n')}\n} as const;\n`,
  );
}

write(
  'arity/onnx-table.ts',
  '"13: 1..2 1.."\n// reads: since version 13, one or two inputs and at least one output; "?1" means that input 1 may\n// be omitted.',
  'onnxArities',
  arityOf,
);
write(
  'attribute-types/onnx-table.ts',
  '"6: to int"\n// reads: since version 6, the attribute `to` is an integer.',
  'onnxAttributeTypes',
  attributesOf,
);
