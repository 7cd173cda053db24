// Writes the fingerprint of the addon's interface into native/include/interface.hpp and
// native/index.cjs. The loader compares both, and rejects an addon that was built for another
// interface. The fingerprint covers the functions and types of native/index.d.ts and the numbers in
// native/include/attributes.hpp, without comments. `--check` fails if a file differs.
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const native = fileURLToPath(new URL('../native/', import.meta.url));
const read = (file) => readFileSync(join(native, file), 'utf8');

/** Returns code without comments, and with one space between words. */
const plainCode = (code) =>
  code
    .replace(/\/\*[\s\S]*?\*\/|\/\/[^\n]*/g, '')
    .replace(/\s+/g, ' ')
    .trim();

const hash = createHash('sha256');
for (const file of ['index.d.ts', 'include/attributes.hpp']) hash.update(`${plainCode(read(file))}\n`);
const fingerprint = hash.digest('hex').slice(0, 16);

const outputs = {
  'include/interface.hpp': `// The fingerprint of the addon's interface. Written by scripts/gen-native-interface.mjs.
#pragma once

namespace brezel {

/** A hash of index.d.ts and attributes.hpp. The loader rejects an addon with another hash. */
constexpr char kInterface[] = "${fingerprint}";

}  // namespace brezel
`,
  'index.cjs': read('index.cjs').replace(/^const INTERFACE = .*$/m, `const INTERFACE = '${fingerprint}';`),
};

for (const [file, text] of Object.entries(outputs)) {
  if (!process.argv.includes('--check')) writeFileSync(join(native, file), text);
  else if (read(file) !== text) {
    console.error(`native/${file} has the fingerprint of another interface: node scripts/gen-native-interface.mjs`);
    process.exitCode = 1;
  }
}
