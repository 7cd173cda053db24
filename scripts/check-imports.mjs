// Imports point down, and only down. npm hoists every package, so an undeclared import would resolve silently: this is the table that forbids it.
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const allowed = {
  core: [],
  'object-store': ['core'],
  flour: ['core', 'object-store'],
  oven: ['core', 'object-store', 'flour'],
  runtime: ['core', 'object-store'],
  onnx: ['core', 'object-store', 'flour'],
  gbdt: ['core', 'flour'],
  mlnet: ['core', 'flour'],
  onnxruntime: ['core'],
  tfjs: ['core'],
  lowering: ['core', 'flour', 'onnx'],
  brezel: [
    'core',
    'object-store',
    'flour',
    'oven',
    'runtime',
    'onnx',
    'gbdt',
    'mlnet',
    'onnxruntime',
    'tfjs',
    'lowering',
    'native',
  ],
  opentelemetry: ['brezel'],
  'prom-client': ['brezel'],
};

/** The module of an import or export statement (its last line), or of a require. */
const IMPORTED = /(?:^(?:import|export|\})[^'\n]* from |^import |require\()'([^']+)'/gm;

const root = fileURLToPath(new URL('..', import.meta.url));
const faults = [];

for (const [name, targets] of Object.entries(allowed)) {
  const manifest = JSON.parse(readFileSync(join(root, 'packages', name, 'package.json'), 'utf8'));
  const declared = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies });
  const folder = join(root, 'packages', name, 'src');
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !entry.name.endsWith('.ts') || entry.name === 'cases.ts' || entry.name === 'case.ts')
      continue;
    const file = join(entry.parentPath, entry.name);
    for (const [, from] of readFileSync(file, 'utf8').matchAll(IMPORTED))
      checkImport(name, targets, declared, file, from);
  }
}

function checkImport(name, targets, declared, file, from) {
  const where = relative(root, file).split(sep).join('/');
  if (from.startsWith('.') || from.startsWith('node:')) return;
  const ours = from === 'brezel' ? from : /^@brezel\/([^/]+)$/.exec(from)?.[1];
  const dependency = from
    .split('/')
    .slice(0, from.startsWith('@') ? 2 : 1)
    .join('/');
  if (ours !== undefined && !targets.includes(ours)) faults.push(`${where}: ${name} may not import ${from}`);
  if (!declared.includes(dependency)) faults.push(`${where}: ${dependency} is not among the dependencies of ${name}`);
}

if (faults.length > 0) {
  console.error(faults.join('\n'));
  process.exit(1);
}
console.log(`imports point down: ${Object.keys(allowed).length} packages`);
