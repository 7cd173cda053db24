// Compiles each header of native/ and each kernel.hpp separately. So every header includes what it
// needs, and opens in an editor without errors. Headers that did not change since they last passed
// are skipped. Arguments are parts of paths. The script is part of `npm run check`. It needs
// compile_commands.json, which `npm run build:native` writes.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { headersIn } from './compile-commands.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const passedFile = join(root, 'native', 'build', 'headers.json');

const headers = headersIn(root);
if (headers.length === 0) {
  console.log('headers: skipped, because there is no compile_commands.json (npm run build:native writes it)');
  process.exit(0);
}

const read = (entry) => readFileSync(entry.file, 'utf8');
/**
 * The hash of all headers in native/, which other headers may include. If a header in native/
 * changes, all headers are checked again. If a kernel.hpp changes, only that file is checked.
 */
const shared = createHash('sha256');
for (const entry of headers) if (!entry.name.startsWith('packages/')) shared.update(read(entry));
const sharedHash = shared.digest('hex');
const keyOf = (entry) =>
  createHash('sha256').update(sharedHash).update(entry.arguments.join(' ')).update(read(entry)).digest('hex');

const passed = existsSync(passedFile) ? JSON.parse(readFileSync(passedFile, 'utf8')) : {};
const chosen = process.argv.slice(2);
const waiting = headers
  .filter((entry) => chosen.length === 0 || chosen.some((part) => entry.name.includes(part)))
  .filter((entry) => passed[entry.name] !== keyOf(entry));
const total = waiting.length;
const failures = [];

/**
 * Compiles an empty source that includes the header. Compiling the header itself would warn about
 * `#pragma once` in a main file.
 */
function check(entry) {
  // Headers without BREZEL_LEVEL are the same for all instruction sets, so they are compiled
  // without the intrinsics, which take most of the time.
  const isPlain = !read(entry).includes('BREZEL_LEVEL');
  const level = (flag) => (isPlain ? flag.replace(/^-DBREZEL_LEVEL=.*/, '-DBREZEL_LEVEL=0') : flag);
  const flags = entry.arguments
    .slice(1, -1)
    .filter((flag) => flag !== '-c')
    .map(level);
  const args = [...flags, '-Werror', '-fsyntax-only', '-include', entry.file, '/dev/null'];
  return new Promise((resolve) => {
    let text = '';
    const child = spawn(process.env.CXX ?? 'g++', args, { cwd: entry.directory, stdio: ['ignore', 'ignore', 'pipe'] });
    child.stderr.on('data', (chunk) => {
      text += chunk;
    });
    child.on('error', (error) => resolve(error.message));
    child.on('close', (code) => resolve(code === 0 ? undefined : text));
  });
}

async function worker() {
  for (let entry = waiting.shift(); entry; entry = waiting.shift()) {
    const failure = await check(entry);
    if (failure === undefined) passed[entry.name] = keyOf(entry);
    else failures.push(`${entry.name} does not compile alone:\n${failure.split('\n').slice(0, 6).join('\n')}`);
  }
}

await Promise.all(Array.from({ length: availableParallelism() }, worker));
writeFileSync(passedFile, JSON.stringify(passed));
if (failures.length > 0) {
  console.error(failures.join('\n'));
  process.exit(1);
}
console.log(`headers: ${total} of ${headers.length} compiled alone, the others passed before`);
