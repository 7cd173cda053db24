import { createFlour, type FlourContext, openFleet, packFleet, profile, vector } from 'brezel';
import { afterAll, describe, expect, test } from 'vitest';
import type { FleetT } from '../../../fleet-file/src/generated/fleet.js';
import { stores, temporaryFolder } from './folder.js';
import { forge, forgeBlob, partsOf, unpack } from './forge.js';

const files = temporaryFolder();
afterAll(files.remove);
const [path, forged] = [files.path('fleet.brezel'), files.path('forged.brezel')];
const FEW = 400;

const vocabulary = Array.from({ length: FEW }, (_, word) => [`word${word}`]);
const textProgram = (flour: FlourContext) => {
  const counts = flour.columns({ text: 'string' }).select('text').tokenize().wordNgram({ vocabulary });
  const weights = new Float32Array(FEW).map((_, word) => word);
  return flour.program({ score: counts.linear({ weights, bias: 1 }) }, { name: 'text' });
};

/** Packs a plan over texts, and two plans over numbers whose weights have the same size. */
async function pack(): Promise<void> {
  const flour = await createFlour();
  const x = flour.input('x', vector('float32', 2));
  const plans = [1, 2].map((weight) => x.linear({ weights: [weight, -1], bias: 0.5 }).plan({ name: `x${weight}` }));
  await packFleet([textProgram(flour).plan(), ...plans], path, { store: flour.store });
  for (const plan of plans) plan.release();
  flour.dispose();
}

/**
 * Returns the codes with which every kind of store rejects a forged file. With `verify: false`, the
 * file opens.
 */
async function refusals(): Promise<string[]> {
  const codes: string[] = [];
  for (const store of (await stores()).values()) {
    const error = await openFleet(forged, { store }).catch((thrown) => thrown);
    codes.push(error.code);
    expect(store.stats().objects).toBe(0);
    (await openFleet(forged, { store, verify: false })).close();
  }
  return codes;
}
const refused = async () => expect(new Set(await refusals())).toEqual(new Set(['ERR_FLEET_STAGE']));

const callOf = (fleet: FleetT, kernel: string) =>
  fleet.programs.flatMap(({ calls }) => calls).find((call) => call.kernel === kernel)!;

describe('a file whose kernel calls do not match its steps is rejected', () => {
  test('weights of another plan, in the call only', async () => {
    await pack();
    forge(path, forged, ({ stages, blobs }) => {
      const linear = stages.filter(({ parameters }) => parameters.some((number) => blobs!.lengths[number] === 8));
      const [first, second] = linear.map(({ parameters }) => parameters);
      const weights = (parameters: number[]) => parameters.findIndex((number) => blobs!.lengths[number] === 8);
      first![first!.lastIndexOf(first![weights(first!)]!)] = second![weights(second!)]!;
    });
    await refused();
  });

  test('another attribute of a call', async () => {
    await pack();
    forge(path, forged, (fleet) => {
      callOf(fleet, 'text_ngram').attributes[0] = 1; // counts each word once
    });
    await refused();
  });

  test('two words of a dictionary with exchanged columns', async () => {
    await pack();
    const { front, manifest } = partsOf(path);
    const { offsets } = unpack(manifest).blobs!;
    const number = offsets.findIndex((offset) => front.toString('latin1', offset, offset + 4) === 'BZNG');
    forgeBlob(path, forged, number, (bytes) => {
      const nodes = bytes.readUInt32LE(7 * 4) + 48;
      const [first, second] = [bytes.readUInt32LE(nodes), bytes.readUInt32LE(nodes + 4)];
      bytes.writeUInt32LE(second, nodes);
      bytes.writeUInt32LE(first, nodes + 4);
    });
    await refused();
  });
});

test('a dictionary in the order of training frequencies is accepted, and a forged one is not', async () => {
  const flour = await createFlour();
  const rows = Array.from({ length: 200 }, (_, row) => ({ text: `word${row % 7} word${399 - (row % 50)} word${row}` }));
  const plan = (await profile(textProgram(flour), rows)).plan();
  const plain = textProgram(flour).plan();
  expect(plan.parameters).not.toEqual(plain.parameters); // the parameters have another order
  await packFleet([plan], path, { store: flour.store });
  plan.release();
  plain.release();
  flour.dispose();
  for (const store of (await stores()).values()) {
    using fleet = await openFleet(path, { store });
    expect((await fleet.replay()).differences).toEqual([]);
  }
  const { front, manifest } = partsOf(path);
  const number = unpack(manifest).blobs!.offsets.findIndex((at) => front.toString('latin1', at, at + 4) === 'BZNG');
  forgeBlob(path, forged, number, (bytes) => {
    bytes[bytes.readUInt32LE(7 * 4)]! ^= 1; // the first byte of a word
  });
  await refused();
});
