import { spawn } from 'node:child_process';
import { readdirSync, readFileSync, watch } from 'node:fs';
import { createFlour, openFleet, packFleet } from 'brezel';
import { afterAll, expect, test } from 'vitest';
import { temporaryFolder } from './folder.js';

const folder = temporaryFolder();
afterAll(folder.remove);
const path = folder.path('fleet.brezel');

/** Repeatedly packs a fleet of 16 MB under the same path, and prints a dot before each. */
const packer = `
  import { createFlour, packFleet, vector } from 'brezel';
  const flour = await createFlour();
  for (let round = 1; ; round++) {
    const weights = new Float32Array(4 << 20).fill(round);
    const plan = flour.input('x', vector('float32', 1 << 20)).linear({ weights, bias: [0, 0, 0, round] }).plan({ name: 'round' + round });
    process.stdout.write('.');
    await packFleet([{ plan, rows: [] }], process.env.FLEET, { store: flour.store });
    plan.release();
    flour.dispose();
  }`;

/**
 * Starts the packer. Kills it when the folder has changed `events` times since the packer started
 * its `rounds`-th fleet.
 */
function killed(rounds: number, events: number): Promise<void> {
  const child = spawn(process.execPath, ['--input-type=module', '-e', packer], {
    cwd: import.meta.dirname,
    env: { ...process.env, FLEET: path },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let begun = 0;
  child.stdout.on('data', (dots: Buffer) => {
    begun += dots.length;
    if (begun >= rounds && events === 0) child.kill('SIGKILL');
  });
  let seen = 0;
  const watcher = watch(folder.path(''), () => {
    if (begun >= rounds && ++seen >= events) child.kill('SIGKILL');
  });
  return new Promise((resolve) =>
    child.on('close', () => {
      watcher.close();
      resolve();
    }),
  );
}

test('a process that dies while it packs leaves the complete old file or the complete new file', async () => {
  const flour = await createFlour();
  const text = flour.columns({ text: 'string' }).select('text');
  const plan = text
    .tokenize()
    .wordNgram({ vocabulary: [['good']] })
    .plan({ name: 'round0' });
  await packFleet([plan], path, { store: flour.store });
  const old = readFileSync(path);
  let unfinished = 0;
  // Repeats until a packer was killed while it wrote. A busy machine may need a few attempts.
  for (let attempt = 0; attempt < 6 || unfinished === 0; attempt++) {
    await killed(1 + (attempt % 2), attempt % 3);
    using fleet = await openFleet(path); // opening checks every byte
    expect(fleet.names[0]).toMatch(/^round/);
    if (fleet.names[0] === 'round0') expect(readFileSync(path).equals(old)).toBe(true);
    unfinished = readdirSync(folder.path('')).filter((name) => name.endsWith('.tmp')).length;
  }
  expect(unfinished, 'temporary files left behind').toBeGreaterThan(0);
});
