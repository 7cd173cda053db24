import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Tells builds apart, committed or not: a checksum of all that runs, the addon among it. */
export function buildVersion() {
  const hash = createHash('sha256');
  for (const name of readdirSync(join(root, 'packages')).sort()) {
    const dist = join(root, 'packages', name, 'dist');
    if (!existsSync(dist)) continue;
    const files = readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.js'));
    for (const file of files.sort()) hash.update(readFileSync(join(dist, file)));
  }
  const addon = join(root, 'native/build/Release/brezel.node');
  if (existsSync(addon)) hash.update(readFileSync(addon));
  return hash.digest('hex').slice(0, 12);
}
