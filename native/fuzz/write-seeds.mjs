// Writes seeds for the fuzz targets, from the test cases of all operators: the stage programs that
// the addon receives, their parameters, and the manifest of a fleet. Stage programs name kernels by
// number and change with every new kernel, so the repository does not store them.
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('../../', import.meta.url));
const cases = ['ops', 'compositions'].flatMap((group) => {
  const folder = join(root, 'packages/flour/src', group);
  return readdirSync(folder)
    .map((name) => join(folder, name, 'cases.ts'))
    .filter((path) => existsSync(path));
});

/** Bundles the test cases, which are TypeScript, and imports the bundle. */
async function importCases(folder) {
  const contents = [
    ...cases.map((path, at) => `export { cases as cases${at} } from ${JSON.stringify(path)};`),
    `export { programOf } from ${JSON.stringify(join(root, 'packages/flour/src/case.ts'))};`,
  ].join('\n');
  // in the repository, because the bundle imports packages
  const outfile = join(root, 'native/build', `fuzz-cases-${process.pid}.mjs`);
  const stdin = { contents, resolveDir: folder };
  try {
    await build({
      stdin,
      bundle: true,
      platform: 'node',
      format: 'esm',
      packages: 'external',
      outfile,
      logLevel: 'error',
    });
    return await import(pathToFileURL(outfile).href);
  } finally {
    rmSync(outfile, { force: true });
  }
}

const int32 = (list) => {
  const bytes = Buffer.alloc(2 + 4 * list.length);
  bytes.writeUInt16LE(list.length);
  Array.from(list).forEach((number, at) => {
    bytes.writeInt32LE(number, 2 + 4 * at);
  });
  return bytes;
};

/** Encodes a stage in the format that fuzz/input.hpp reads. */
function encodeStage({ slots, instructions, inputs, outputs }, parameters) {
  const sized = parameters.flatMap((bytes) => {
    const length = Buffer.alloc(4);
    length.writeUInt32LE(bytes.length);
    return [length, bytes];
  });
  const rows = Buffer.from('a good film\0\x01\x02\x80\x3f the worst 12.5 Ünïcode 0123456789');
  return Buffer.concat([
    ...[slots, instructions, inputs, outputs].map(int32),
    Buffer.of(parameters.length),
    ...sized,
    rows,
  ]);
}

/** For each fuzz target that loads blobs, the magic numbers at the start of its blobs. */
const magics = { dictionaries: ['BZNG', 'BZTK', 'BZTM'], forests: ['BZFP', 'BZFL'] };
const magicOf = (bytes) => Buffer.from(bytes.subarray(0, 4)).toString('latin1');

/**
 * Writes seeds to `folder`: one folder for each fuzz target; for a target that loads blobs, also
 * the folder `TARGET-stages` with the stages that use its blobs; and the file `tables` with the
 * layout of manifests.
 */
export async function writeSeeds(folder) {
  const { addon } = createRequire(import.meta.url)('../index.cjs');
  const stages = new Map();
  const manifests = [];
  let tables;
  const { stageCreate, manifestIsSound } = addon;
  addon.stageCreate = (source) => {
    const parameters = Array.from(source.parameters, (handle) => addon.parameterCopy(handle));
    const bytes = encodeStage(source, parameters);
    const key = `${source.slots}/${source.instructions}`;
    if (parameters.length < 256 && (stages.get(key)?.bytes.length ?? Infinity) > bytes.length)
      stages.set(key, { bytes, parameters });
    return stageCreate(source);
  };
  addon.manifestIsSound = (bytes, layout, index) => {
    tables = layout;
    manifests.push(Buffer.from(bytes));
    return manifestIsSound(bytes, layout, index);
  };
  try {
    await compileCases();
  } finally {
    addon.stageCreate = stageCreate;
    addon.manifestIsSound = manifestIsSound;
  }

  const write = (target, name, bytes) => {
    mkdirSync(join(folder, target), { recursive: true });
    writeFileSync(join(folder, target, name), bytes);
  };
  let number = 0;
  for (const { bytes, parameters } of stages.values()) {
    const name = String(number++).padStart(4, '0');
    if (bytes.length < 32_768) write('stages', name, bytes);
    for (const [target, known] of Object.entries(magics))
      if (parameters.some((parameter) => known.includes(magicOf(parameter)))) write(`${target}-stages`, name, bytes);
  }
  for (const target of Object.keys(magics)) {
    const names = readdirSync(join(folder, `${target}-stages`)).sort();
    names.slice(0, 256).forEach((name, at) => {
      const { parameters } = [...stages.values()][Number(name)];
      parameters.forEach((parameter, which) => {
        if (magics[target].includes(magicOf(parameter)))
          write(target, `${name}-${which}`, Buffer.concat([Buffer.of(at, which), parameter]));
      });
    });
  }
  manifests.forEach((bytes, at) => write('loader', `manifest-${at}`, bytes));
  write('loader', 'strings', Buffer.from([3, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 3, 0, 0, 0, 97, 195, 188]));
  writeFileSync(join(folder, 'tables'), Buffer.from(Int32Array.from(tables).buffer));
}

/**
 * Compiles and registers the named cases of all operators, and packs some of the plans into a
 * fleet.
 */
async function compileCases() {
  const scratch = mkdtempSync(join(tmpdir(), 'brezel-seeds-'));
  try {
    await compileCasesIn(scratch);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

async function compileCasesIn(scratch) {
  const { bake, createFlour, createRuntime, openFleet, openStore, packFleet } = await import('brezel');
  const { programOf, ...modules } = await importCases(scratch);
  const flour = await createFlour();
  const runtime = createRuntime({ store: flour.store });
  try {
    const members = Object.entries(modules).flatMap(([name, { named }]) =>
      named.map((one, at) => ({
        name: `${name}-${at}`,
        plan: bake(programOf(flour, one)),
        rows: one.rows.slice(0, 1),
      })),
    );
    for (const { plan, name } of members) runtime.unregister(runtime.register(plan, { name }));
    const path = join(scratch, 'seed.brezel');
    for (const some of [members.slice(0, 1), members.slice(0, 20)]) {
      await packFleet(some, path, { store: flour.store });
      const fleet = await openFleet(path, { store: await openStore() });
      await fleet.close?.();
    }
  } finally {
    await runtime.close();
    flour.dispose();
  }
}
