import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

// Bundles keep the names of classes. Two packages that export a class export the same object.

const packages = fileURLToPath(new URL('../../../', import.meta.url));
const names = readdirSync(packages).map(
  (folder) => JSON.parse(readFileSync(join(packages, folder, 'package.json'), 'utf8')).name as string,
);

describe('bundles', () => {
  it.each(names)('classes of %s have the names under which they are exported', async (name) => {
    const exported: Record<string, unknown> = await import(name);
    const classes = Object.entries(exported).filter(
      (entry): entry is [string, new () => unknown] => typeof entry[1] === 'function' && /^class\b/.test(`${entry[1]}`),
    );
    expect(classes.map(([, { name }]) => name)).toEqual(classes.map(([exportedAs]) => exportedAs));
    // Fails if the pattern above finds no class at all.
    if (name === 'brezel') expect(classes.map(([exportedAs]) => exportedAs)).toContain('Flow');
  });

  it('two packages export the same objects', async () => {
    const [brezel, core, flour] = await Promise.all([
      import('brezel'),
      import('@brezel/core'),
      import('@brezel/flour'),
    ]);
    expect(brezel.BrezelError).toBe(core.BrezelError);
    expect(brezel.Flow).toBe(flour.Flow);
  });

  it('import of brezel loads few files and no thread pool', () => {
    const program = `
      import { register } from 'node:module';
      import { MessageChannel } from 'node:worker_threads';
      const hooks = \`let port;
        export const initialize = (given) => { port = given; };
        export const load = (url, context, next) => { port.postMessage(url); return next(url, context); };\`;
      const { port1, port2 } = new MessageChannel();
      const urls = [];
      port1.on('message', (url) => urls.push(url));
      register('data:text/javascript,' + encodeURIComponent(hooks), { data: port2, transferList: [port2] });
      await import('brezel');
      await new Promise((resolve) => setImmediate(resolve));
      port1.close();
      console.log(JSON.stringify(urls));`;
    const printed = execFileSync(process.execPath, ['--input-type=module', '-e', program], {
      cwd: fileURLToPath(new URL('.', import.meta.url)),
      encoding: 'utf8',
    });
    const ours = (JSON.parse(printed) as string[]).filter((url) => /\/packages\/[^/]+\/dist\//.test(url));
    expect(ours.length).toBeGreaterThanOrEqual(10);
    expect(ours.length).toBeLessThan(40);
    expect(printed).not.toContain('/piscina/');
  });
});
