import { copyFileSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRegistry } from 'brezel';

const model = (member: number) => new URL(`../../models/sa-fam-a-0${member}.onnx`, import.meta.url);
const text = 'The battery lasts for days, I am very happy with it.';
const say = (line: string) => console.log(line);

// 1. Add ten models, and allow memory for only some of them. A model is loaded at its first
// request, and the least recently used models are unloaded.
const registry = await createRegistry({ memoryBudgetBytes: 1.38e6 });
for (let member = 0; member < 10; member++) registry.add(`tenant-${member}`, model(member));
for (const name of registry.names()) await registry.predict(name, text);
const loaded = registry.stats().versions.filter((version) => version.loaded);
say(`${loaded.length} of 10 models are in memory, ${(registry.stats().bytes / 1e6).toFixed(1)} MB:`);
say(`  ${loaded.map(({ version }) => version).join(', ')}`);

// 2. Add a new version of one model, first for a tenth of its users, then for all.
registry.add('tenant-0', model(5), { version: 2 });
registry.canary('tenant-0', { to: 2, percent: 10 });
const users = Array.from({ length: 1000 }, (_, user) => registry.resolve('tenant-0', { key: `user ${user}` }));
say(`${users.filter((version) => version === 'tenant-0@2').length} of 1000 users are canaries`);
await registry.promote('tenant-0', 2);
say(`tenant-0 is ${registry.resolve('tenant-0')}`);

// 3. Roll back.
registry.rollback('tenant-0'); // to version 1 with the canary
registry.rollback('tenant-0'); // to version 1 without the canary
say(`tenant-0 is ${registry.resolve('tenant-0')} again`);

// 4. Start a shadow. It gets the same rows, and its answers are compared; no caller waits for it.
registry.shadow('tenant-0', { to: 2 });
await registry.predict('tenant-0', text);
await new Promise((resolve) => registry.once('shadow', resolve));
const { compared, different } = registry.model('tenant-0')!.aliases[0]!.shadow!;
say(`${different} of ${compared} answers of the shadow differ`);

// 5. Watch a folder. A model that is moved into the folder is served. A broken file is rejected,
// and the old version stays.
const folder = mkdtempSync(join(tmpdir(), 'brezel-models-'));
copyFileSync(model(1), join(folder, 'spam.onnx'));
const watch = await registry.watch(folder);
await registry.predict('spam', text);
writeFileSync(join(folder, '.new'), 'not a model');
renameSync(join(folder, '.new'), join(folder, 'spam.onnx'));
await watch.scan(); // without this call, the registry scans every second
for (const { error } of watch.files()) say(`refused: ${(error as Error).message.replace(/^.*\): /, '')}`);
say(`spam answers ${registry.predictSync('spam', text).label}`);

await registry.close();
rmSync(folder, { recursive: true });
