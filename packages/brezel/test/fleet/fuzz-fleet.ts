/// <reference types="vite/client" />
import { existsSync } from 'node:fs';
import { bake, createFlour, openStore, packFleet, type Row } from 'brezel';
import { openFleet as openServing } from 'brezel/serve';
import { type OperatorCases, programOf } from '../../../flour/src/case.js';
import { stores } from './folder.js';
import { blobsOf, forge, forgeBlob, join, partsOf, unpack } from './forge.js';
import { type Draw, drawer, mutate, mutateGolden } from './mutate.js';
import { outcome } from './survive.js';

const modules = import.meta.glob<{ cases: OperatorCases }>('../../../flour/src/{ops,compositions}/*/cases.ts', {
  eager: true,
});

/**
 * Packs a fleet with up to two plans of every operator, or of every operator in the addon, unless
 * the file exists. Attacks change copies of the file.
 */
async function packOperators(path: string, { inAddon = false } = {}): Promise<void> {
  if (existsSync(path)) return;
  const flour = await createFlour();
  const members = Object.values(modules).flatMap(({ cases }, module) =>
    cases.named.slice(0, 2).map((one, at) => ({
      name: `${module}-${at}`,
      plan: bake(programOf(flour, one)),
      rows: one.rows.slice(0, 3) as readonly Row[],
    })),
  );
  const isInAddon = ({ plan }: (typeof members)[number]) =>
    plan.stages.every(({ stage }) => stage.calls !== undefined) && plan.outputs.every(({ labels }) => !labels);
  await packFleet(inAddon ? members.filter(isInAddon) : members, path, { store: flour.store });
}

/** Values that replace an attribute. Undefined removes the attribute. */
const oddValues = [undefined, null, true, -1, 0, 0.5, 3, 2 ** 24, 2 ** 31, 1e300, '', 'x', '\u0000', [], [-1], [[1e9]]];

/** Changes of a file, with matching checksums. Each returns a description. */
const attacks: Readonly<Record<string, (from: string, to: string, draw: Draw) => string>> = {
  /** Changes one to three values of the manifest. */
  facts(from, to, draw) {
    const changes: string[] = [];
    forge(from, to, (fleet) => {
      for (let times = 1 + draw(3); times > 0; times--)
        changes.push(draw(8) === 0 ? mutateGolden(fleet, draw) : mutate(fleet, draw));
    });
    return changes.join('; ');
  },
  /** Changes bytes of the manifest, which then may not be a valid FlatBuffer. */
  bytes(from, to, draw) {
    const { front, manifest } = partsOf(from);
    const changed = Buffer.from(manifest);
    const places: string[] = [];
    for (let times = 1 + draw(4); times > 0; times--) {
      const at = draw(changed.length);
      changed[at] = [0, 1, 4, 0x7f, 0x80, 0xff, changed[at]! ^ (1 << draw(8)), changed[at]! + 1][draw(8)]! & 255;
      places.push(`${at}`);
    }
    join(to, { front, manifest: draw(10) === 0 ? changed.subarray(0, draw(changed.length)) : changed });
    return `bytes ${places.join(', ')}`;
  },
  /** Removes an attribute of a step, or changes its form. */
  attributes(from, to, draw) {
    let change = '';
    forge(from, to, ({ programs }) => {
      const steps = programs.flatMap((program) => program.steps).filter((step) => step.attributes !== '{}');
      const step = steps[draw(steps.length)]!;
      const attributes = JSON.parse(step.attributes as string);
      const names = Object.keys(attributes);
      const name = names[draw(names.length)]!;
      const value = oddValues[draw(oddValues.length)];
      const list = Array.isArray(attributes[name]) && draw(2) === 0 ? attributes[name] : undefined;
      attributes[name] = list === undefined ? value : [...list.slice(1), value];
      step.attributes = JSON.stringify(attributes);
      change = `${step.operator}: ${step.attributes.slice(0, 200)}`;
    });
    return change;
  },
  /** Changes bytes of a parameter. */
  parameters(from, to, draw) {
    const { length } = blobsOf(unpack(partsOf(from).manifest)).dtypes;
    const number = draw(length);
    let place = -1;
    forgeBlob(from, to, number, (bytes) => {
      if (bytes.length === 0) return;
      // Half of the changes are in the first 128 bytes, which contain the header.
      place = draw(draw(2) === 0 ? Math.min(bytes.length, 128) : bytes.length);
      for (let at = place; at < Math.min(place + 1 + draw(8), bytes.length); at++)
        bytes[at] = [0, 1, 0x7f, 0xff, draw(256)][draw(5)]!;
    });
    return `blob ${number}, byte ${place}`;
  },
};

/**
 * Runs attacks, one after another, on every kind of store. Prints the number of rejected files for
 * each error code.
 */
export async function fuzzFleet(
  attack: string,
  path: (name: string) => string,
  runs: number,
  seed: number,
): Promise<void> {
  const [from, to] = [path('operators.brezel'), path('forged.brezel')];
  await packOperators(from);
  const counts = new Map<string, number>();
  const kinds = [...(await stores())];
  for (let run = 0; run < runs; run++) {
    const draw = drawer(seed + run);
    const what = attacks[attack]!(from, to, draw);
    const [kind, store] = kinds[draw(kinds.length)]!;
    const verify = draw(4) > 0;
    try {
      const code = await outcome(to, store, verify);
      counts.set(code, (counts.get(code) ?? 0) + 1);
    } catch (cause) {
      throw new Error(`BREZEL_SEED=${seed + run}, ${kind}, verify ${verify}: ${what}`, { cause });
    }
  }
  tell(attack, runs, counts);
}

/**
 * Runs the attacks on files that `brezel/serve` opens without operators. Only the addon checks
 * them.
 */
export async function fuzzServing(
  attack: string,
  path: (name: string) => string,
  runs: number,
  seed: number,
): Promise<void> {
  const [from, to] = [path('addon.brezel'), path('forged.brezel')];
  await packOperators(from, { inAddon: true });
  const store = await openStore();
  const counts = new Map<string, number>();
  for (let run = 0; run < runs; run++) {
    const what = attacks[attack]!(from, to, drawer(seed + run));
    try {
      const code = await outcome(to, store, false, openServing);
      counts.set(code, (counts.get(code) ?? 0) + 1);
    } catch (cause) {
      throw new Error(`BREZEL_SEED=${seed + run}, serving: ${what}`, { cause });
    }
  }
  tell(`${attack}, serving`, runs, counts);
}

function tell(attack: string, runs: number, counts: ReadonlyMap<string, number>): void {
  console.info(`${runs} attacks on ${attack}: ${[...counts].map(([code, times]) => `${code} ${times}`).join(', ')}`);
}
