import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { BrezelError, createFlour, createRegistry, type OpenOptions, openFleet, openStore, packFleet } from 'brezel';
import { openFleet as openServing } from 'brezel/serve';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { stores, temporaryFolder } from './folder.js';
import { forge } from './forge.js';

const files = temporaryFolder();
afterAll(files.remove);
const [own, other] = [generateKeyPairSync('ed25519'), generateKeyPairSync('ed25519')];
const pemOf = (key: KeyObject) => key.export({ type: 'spki', format: 'pem' }) as string;
const trusted = pemOf(own.publicKey);
const TRAILER_BYTES = 112;
/** Bytes of the header that the signature does not cover: two checksums, and zeros. */
const isChecksum = (offset: number) => offset >= 40 && offset < 128;

beforeAll(async () => {
  await packOne('signed', { sign: own.privateKey });
  await packOne('unsigned', {});
  await packOne('other', { sign: other.privateKey });
  await packOne('second', { sign: own.privateKey, weight: 3 });
  // above 1 MiB, so that it is copied and mapped
  await packOne('large', { sign: own.privateKey, words: 30_000 });
});

async function packOne(
  name: string,
  { sign, weight = 2, words = 2 }: { sign?: KeyObject; weight?: number; words?: number },
) {
  using flour = await createFlour();
  const vocabulary = Array.from({ length: words }, (_, word) => [`word${word}`]);
  const counts = flour.columns({ text: 'string' }).select('text').tokenize().wordNgram({ vocabulary });
  const plan = counts.linear({ weights: new Float32Array(words).fill(weight), bias: 1 }).plan({ name: 'film' });
  await packFleet([plan], files.path(name), { store: flour.store, sign });
  plan.release();
}

/**
 * Returns the code of the error with which opening fails, or `opened`. Nothing may stay in the
 * store.
 */
async function outcome(name: string, options: OpenOptions, open: typeof openFleet = openFleet): Promise<string> {
  const store = options.store ?? (await openStore());
  try {
    (await open(files.path(name), { ...options, store })).close();
    return 'opened';
  } catch (error) {
    if (!(error instanceof BrezelError)) throw error;
    return error.code;
  } finally {
    expect(store.stats().objects).toBe(0);
  }
}

describe('a signed fleet', () => {
  test.each(['signed', 'large'])('opens with the public key, as PEM or key object: %s', async (name) => {
    for (const [kind, store] of await stores()) {
      for (const verify of [true, false]) {
        for (const trustedKeys of [[trusted], [own.publicKey], [pemOf(other.publicKey), trusted]]) {
          using fleet = await openFleet(files.path(name), { trustedKeys, store, verify });
          expect(fleet.signedBy, kind).toMatch(/^SHA256:[A-Za-z0-9+/]{43}$/);
          expect((await fleet.replay()).differences).toEqual([]);
        }
      }
    }
  });

  test('opens without a key, as an unsigned fleet does', async () => {
    using fleet = await openFleet(files.path('signed'));
    expect(fleet.signedBy).toBeUndefined();
    expect((await fleet.replay()).differences).toEqual([]);
    expect(await outcome('unsigned', {})).toBe('opened');
  });

  test('opens through brezel/serve', async () => {
    expect(await outcome('large', { trustedKeys: [trusted], verify: false }, openServing)).toBe('opened');
    expect(await outcome('other', { trustedKeys: [trusted], verify: false }, openServing)).toBe('ERR_FLEET_SIGNATURE');
  });
});

describe('ERR_FLEET_SIGNATURE, also with verify: false', () => {
  const refused = async (name: string, trustedKeys: OpenOptions['trustedKeys'] = [trusted]) => {
    for (const verify of [true, false])
      expect(await outcome(name, { trustedKeys, verify }), `verify ${verify}`).toBe('ERR_FLEET_SIGNATURE');
  };

  test('an unsigned fleet, another key, an empty list', async () => {
    await refused('unsigned');
    await refused('other');
    await refused('signed', []);
    await refused('unsigned', []);
  });

  test('the signature of another fleet', async () => {
    const second = readFileSync(files.path('second'));
    const bytes = readFileSync(files.path('signed'));
    second.copy(bytes, bytes.length - TRAILER_BYTES, second.length - TRAILER_BYTES);
    writeFileSync(files.path('swapped'), bytes);
    await refused('swapped');
  });

  test('a fleet that was changed and got correct checksums', async () => {
    forge(files.path('signed'), files.path('forged'), (fleet) => {
      fleet.plans[0]!.name = 'another name';
    });
    await refused('forged'); // the forging writer does not sign
    const forged = readFileSync(files.path('forged'));
    const trailer = readFileSync(files.path('signed')).subarray(-TRAILER_BYTES);
    writeFileSync(files.path('trailed'), Buffer.concat([forged, trailer]));
    await refused('trailed');
  });

  test('flipped bits and cuts', async () => {
    const bytes = readFileSync(files.path('signed'));
    const store = await openStore();
    const end = bytes.length - TRAILER_BYTES;
    for (
      let offset = 0;
      offset < bytes.length;
      offset += offset < 192 || offset >= end ? 1 : Math.min(29, end - offset)
    ) {
      const flipped = Buffer.from(bytes);
      flipped[offset]! ^= 1 << (offset % 8);
      writeFileSync(files.path('flipped'), flipped);
      const code = await outcome('flipped', { trustedKeys: [trusted], verify: false, store });
      expect(code, `byte ${offset}`).toMatch(
        isChecksum(offset) ? /^ERR_STORE_(DAMAGED|FORMAT)$/ : 'ERR_FLEET_SIGNATURE',
      );
      if (offset % 7 > 0) continue;
      writeFileSync(files.path('cut'), bytes.subarray(0, offset));
      expect(await outcome('cut', { trustedKeys: [trusted], store }), `${offset} bytes`).toBe('ERR_FLEET_SIGNATURE');
    }
  });

  test('files of other formats', async () => {
    writeFileSync(files.path('text'), 'no fleet');
    await refused('text');
    writeFileSync(files.path('zeros'), Buffer.alloc(2 << 20));
    await refused('zeros');
  });
});

describe('ERR_FLEET_KEY', () => {
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const secret = own.privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
  const refusal = async (work: Promise<unknown>) => (await work.catch((error) => error)) as BrezelError;

  test.each<[string, unknown, RegExp]>([
    ['a private key as PEM', secret, /a private key/],
    ['a private key as key object', own.privateKey, /a private key/],
    ['an RSA key', pemOf(rsa.publicKey), /type rsa/],
    ['another text', 'PUB.pem', /not PEM/],
    ['a number', 5, /a number/],
  ])('as trusted key: %s', async (_, key, received) => {
    const error = await refusal(openFleet(files.path('signed'), { trustedKeys: [key as string] }));
    expect(error).toMatchObject({ code: 'ERR_FLEET_KEY', message: expect.stringMatching(received) });
  });

  test.each<[string, unknown, RegExp]>([
    ['a public key', own.publicKey, /a public key/],
    ['an RSA key', rsa.privateKey, /type rsa/],
    ['a PEM text', secret, /a string/],
  ])('as signing key: %s', async (_, key, received) => {
    const flour = await createFlour();
    const error = await refusal(packFleet([], files.path('none'), { store: flour.store, sign: key as KeyObject }));
    expect(error).toMatchObject({ code: 'ERR_FLEET_KEY', message: expect.stringMatching(received) });
  });

  test('errors contain no part of a private key', async () => {
    const body = secret.split('\n')[1]!;
    const flour = await createFlour();
    const errors = [
      await refusal(openFleet(files.path('signed'), { trustedKeys: [secret] })),
      await refusal(openFleet(files.path('signed'), { trustedKeys: [createPrivateKey(secret)] })),
      await refusal(packFleet([], files.path('none'), { store: flour.store, sign: secret as unknown as KeyObject })),
    ];
    for (const { message, hint, stack, details, cause } of errors)
      for (const text of [message, hint, stack, JSON.stringify(details), String(cause)])
        expect(text).not.toContain(body);
  });
});

test('trusted keys need a snapshot: ERR_FLEET_OPTION', async () => {
  expect(await outcome('signed', { trustedKeys: [trusted], mapping: 'file' })).toBe('ERR_FLEET_OPTION');
});

describe('a registry with trusted keys', () => {
  test('loads only signed fleets from files', async () => {
    const registry = await createRegistry({ trustedKeys: [trusted] });
    const causeOf = async (name: string) =>
      registry.load(name).then(
        () => 'loaded',
        (error: BrezelError) => (error.cause as BrezelError).code,
      );
    await registry.addFleet(files.path('large'), { version: 1 });
    expect(await registry.predict('film', 'word0 word1')).toEqual({ output: [5] });
    for (const name of ['unsigned', 'other']) {
      const error = await registry.addFleet(files.path(name)).catch((thrown) => thrown);
      expect(error.code, name).toBe('ERR_FLEET_SIGNATURE');
    }
    registry.add('model', fileURLToPath(new URL('../../../../examples/models/sa-fam-a-00.onnx', import.meta.url)));
    expect(await causeOf('model')).toBe('ERR_FLEET_SIGNATURE');
    await registry.close();
    expect(registry.store.stats().objects).toBe(0);
  });

  test('reports an unsigned file in a watched folder', async () => {
    const registry = await createRegistry({ trustedKeys: [trusted] });
    mkdirSync(files.path('watched'));
    copyFileSync(files.path('signed'), files.path('watched/a.brezel'));
    copyFileSync(files.path('unsigned'), files.path('watched/b.brezel'));
    const watch = await registry.watch(files.path('watched'), { intervalMs: 0 });
    const codes = watch.files().map(({ error }) => (error as BrezelError | undefined)?.code);
    expect(codes).toEqual([undefined, 'ERR_FLEET_SIGNATURE']);
    await registry.close();
  });

  test('needs at least one key', async () => {
    const error = await createRegistry({ trustedKeys: [] }).catch((thrown) => thrown);
    expect(error.code).toBe('ERR_FLEET_SIGNATURE');
  });
});
