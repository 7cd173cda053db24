// Checks that packages import only packages below them. npm hoists every package, so an undeclared
// import would resolve without an error; the table `allowed` forbids it. Files of a package must
// not import each other in a cycle, including types. You can then read one file without knowing all
// of them.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundledPackages } from './entry-points.mjs';
import { importRings } from './import-rings.mjs';

const allowed = {
  core: [],
  'object-store': ['core'],
  text: ['object-store'],
  'fleet-file': ['core', 'object-store'],
  tensors: ['core', 'text'],
  flour: ['core', 'object-store', 'text', 'tensors'],
  oven: ['core', 'object-store', 'text', 'tensors', 'flour'],
  'explain-svg': ['flour', 'oven'],
  runtime: ['core', 'object-store', 'text', 'native'],
  registry: ['core', 'object-store', 'runtime'],
  onnx: ['core', 'object-store', 'tensors', 'flour'],
  gbdt: ['core', 'flour'],
  mlnet: ['core', 'flour'],
  'scikit-learn': ['core', 'flour'],
  pmml: ['core', 'flour'],
  onnxruntime: ['core'],
  tfjs: ['core'],
  lowering: ['core', 'flour', 'onnx'],
  brezel: [
    'core',
    'object-store',
    'fleet-file',
    'tensors',
    'flour',
    'oven',
    'explain-svg',
    'runtime',
    'registry',
    'onnx',
    'gbdt',
    'mlnet',
    'scikit-learn',
    'pmml',
    'onnxruntime',
    'tfjs',
    'lowering',
    'native',
  ],
  cli: [
    'core',
    'object-store',
    'fleet-file',
    'flour',
    'oven',
    'explain-svg',
    'runtime',
    'onnx',
    'lowering',
    'brezel',
    'grpc',
    'http',
    'nats',
    'selection',
  ],
  opentelemetry: ['brezel'],
  'prom-client': ['brezel'],
  oip: ['brezel'],
  http: ['brezel', 'prom-client', 'oip'],
  grpc: ['brezel', 'oip'],
  nats: ['brezel', 'oip'],
  selection: ['brezel'],
  external: ['brezel', 'oip'],
};

/** Groups of files that may import each other in a cycle, with the reasons. */
const allowedRings = [
  // The fluent style: a context creates flows and programs, and the type of a flow or a program
  // contains the type of its context.
  [
    'packages/flour/src/context.ts',
    'packages/flour/src/flow.ts',
    'packages/flour/src/program.ts',
    'packages/flour/src/program-types.ts',
  ],
];

/**
 * Matches the module name in an import or export statement (its last line), in an `import()`, or in
 * a `require`.
 */
const IMPORTED = /(?:^(?:import|export|\})[^'\n]* from |^import |\bimport\(|require\()'([^']+)'/gm;

const root = fileURLToPath(new URL('..', import.meta.url));
const faults = [];
/** For each file, the files of its package that it imports. */
const imports = new Map();

for (const [name, targets] of Object.entries(allowed)) {
  const manifest = JSON.parse(readFileSync(join(root, 'packages', name, 'package.json'), 'utf8'));
  const bundled = bundledPackages.filter((one) => manifest.devDependencies?.[one] !== undefined);
  const declared = [...Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies }), ...bundled];
  const folder = join(root, 'packages', name, 'src');
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !/(?<!\.test)\.ts$/.test(entry.name)) continue;
    if (entry.name === 'cases.ts' || entry.name === 'case.ts') continue;
    const file = join(entry.parentPath, entry.name);
    const imported = [...readFileSync(file, 'utf8').matchAll(IMPORTED)].map(([, from]) => from);
    for (const from of imported) checkImport(name, targets, declared, file, from);
    imports.set(
      nameOf(file),
      imported.filter((from) => from.startsWith('.')).map((from) => nameOf(join(dirname(file), from))),
    );
  }
}

/** Returns the source file of an import. The import may name a built file. */
function nameOf(file) {
  return relative(root, file).split(sep).join('/').replace(/\.js$/, '.ts');
}

function checkImport(name, targets, declared, file, from) {
  const where = nameOf(file);
  if (from.startsWith('.') || from.startsWith('node:')) return;
  const ours = /^brezel(\/|$)/.test(from) ? 'brezel' : /^@brezel\/([^/]+)/.exec(from)?.[1];
  const dependency = from
    .split('/')
    .slice(0, from.startsWith('@') ? 2 : 1)
    .join('/');
  if (ours !== undefined && !targets.includes(ours)) faults.push(`${where}: ${name} may not import ${from}`);
  if (!declared.includes(dependency)) faults.push(`${where}: ${dependency} is not among the dependencies of ${name}`);
}

checkRings();

function checkRings() {
  const isIn = (ring) => (files) => ring.every((file) => files.includes(file));
  const rings = importRings(imports);
  for (const ring of rings)
    if (!allowedRings.some(isIn(ring))) faults.push(`a ring of imports: ${[...ring, ring[0]].join(' -> ')}`);
  for (const files of allowedRings)
    if (!rings.some((ring) => isIn(ring)(files)))
      faults.push(`no ring any more, need not be allowed: ${files.join(', ')}`);
}

if (faults.length > 0) {
  console.error(faults.join('\n'));
  process.exit(1);
}
console.log(`imports point down: ${Object.keys(allowed).length} packages, ${imports.size} files`);
