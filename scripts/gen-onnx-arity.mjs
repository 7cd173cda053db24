// Writes the table of inputs and outputs of each ONNX operator from ONNX's operator documents: node
// scripts/gen-onnx-arity.mjs ONNX_REPOSITORY/docs
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('usage: node scripts/gen-onnx-arity.mjs ONNX_REPOSITORY/docs');

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

/** Returns the versions of each operator, grouped by domain, in the order of ONNX's document. */
function read(file) {
  const domains = {};
  for (const section of readFileSync(join(folder, file), 'utf8').split(/\n(?=### <a name=|#{1,2} )/)) {
    const [, name, since, mark] = /^### <a name="([\w.]+)-(\d+)">[^ \n]*( \(deprecated\))?/.exec(section) ?? [];
    // skipped, because deprecated versions have no schema
    if (name === undefined || mark !== undefined) continue;
    const at = name.lastIndexOf('.');
    const [domain, operator] = [name.slice(0, Math.max(at, 0)), name.slice(at + 1)];
    const inputs = portsOf(section, 'Inputs');
    const arity = [inputs.text, portsOf(section, 'Outputs').text, ...inputs.optional.map((port) => `?${port}`)].join(
      ' ',
    );
    domains[domain] ??= {};
    domains[domain][operator] ??= [];
    domains[domain][operator].push([Number(since), arity]);
  }
  return domains;
}

const domains = { ...read('Changelog.md'), ...read('Changelog-ml.md') };
const lines = Object.entries(domains)
  .filter(([domain]) => ['', 'ai.onnx.ml', 'ai.onnx.preview.training'].includes(domain))
  .map(([domain, operators]) => {
    const entries = Object.entries(operators)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([operator, versions]) => {
        const sorted = versions.sort(([a], [b]) => a - b);
        const changes = sorted.filter(([, arity], at) => at === 0 || arity !== sorted[at - 1][1]);
        return `    ${operator}: '${changes.map(([since, arity]) => `${since}: ${arity}`).join('; ')}',`;
      });
    return `  '${domain}': {\n${entries.join('\n')}\n  },`;
  });
writeFileSync(
  new URL('../packages/onnx/src/arity/onnx-table.ts', import.meta.url),
  `// Written by node scripts/gen-onnx-arity.mjs from the operator documents of ONNX.\n// "13: 1..2 1.." reads: since version 13, one or two inputs and at least one output; "?1" means\n// that input 1 may be left out.\n\nexport const onnxArities = {\n${lines.join('\n')}\n} as const;\n`,
);
