import { generateKeyPairSync } from 'node:crypto';
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { readModel, writeModel } from '@brezel/onnx';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { forge, forgeGolden } from '../../brezel/test/fleet/forge.js';
import { brezel, model, temporaryFolder } from './brezel.js';

const folder = temporaryFolder();
afterAll(folder.remove);
const fleet = folder.path('fleet.brezel');
const rows = folder.file('rows.jsonl', '{"text": "a good film"}\n\n{"text": "naïve café 😀"}\n');
let packed: string;

const ok = async (args: readonly string[], input?: string) => {
  const ended = await brezel(args, input);
  expect(ended.err).toBe('');
  expect(ended.code).toBe(0);
  return ended.out;
};
const fault = async (args: readonly string[], input?: string) => {
  const ended = await brezel(args, input);
  expect(ended.code).not.toBe(0);
  expect(ended.err.trim().split('\n')).toHaveLength(1);
  return ended.err;
};

beforeAll(async () => {
  packed = await ok(['pack', model(0), model(1), model(2), '-o', fleet, '--rows', rows]);
});

describe('pack', () => {
  test('prints the contents of the file', () => {
    expect(packed).toMatch(
      /fleet\.brezel {2}1\.\d MB\n {2}plans +3, from 900\.1 KB of model files\n {2}parameters +26 objects/,
    );
  });

  test('models have the names of their files, not the random names of their graphs', async () => {
    const paths = ['kept', 'churn'].map((name) => folder.path(`${name}.onnx`));
    for (const [at, path] of paths.entries()) {
      const { graph, ...file } = readModel(readFileSync(model(at)));
      writeFileSync(path, writeModel({ ...file, graph: { ...graph!, name: `4f1c${at}` } }));
    }
    const path = folder.path('random.brezel');
    await ok(['pack', ...paths, '-o', path]);
    const shown = await ok(['inspect', path]);
    expect(shown).toMatch(/random\.brezel#kept\n/);
    expect(shown).toMatch(/random\.brezel#churn\n/);
  });

  test('models with equal names have the names of their files', async () => {
    const [a, b] = [folder.path('first.onnx'), folder.path('second.onnx')];
    copyFileSync(model(0), a);
    copyFileSync(model(0), b);
    const path = folder.path('renamed.brezel');
    await ok(['pack', a, b, '-o', path]);
    expect(await ok(['inspect', path])).toMatch(/renamed\.brezel#first\n.*renamed\.brezel#second\n/);
    expect(await fault(['pack', a, a, '-o', path])).toMatch(/ERR_FLEET_NAME.*two plans named "first"/);
  });

  test('models and files with equal names have the names of their folders, or the name of NAME=PATH', async () => {
    const paths = ['a', 'b'].map((name) => {
      mkdirSync(folder.path(name));
      return folder.path(`${name}/model.onnx`);
    });
    for (const path of paths) copyFileSync(model(0), path);
    const path = folder.path('folders.brezel');
    await ok(['pack', ...paths, '-o', path, '--rows', rows]);
    expect(await ok(['inspect', path])).toMatch(/folders\.brezel#a\n.*folders\.brezel#b\n/);
    await ok(['pack', `old=${paths[0]}`, `new=${paths[1]}`, '-o', path]);
    expect(await ok(['inspect', path])).toMatch(/folders\.brezel#old\n.*folders\.brezel#new\n/);
    await ok(['pack', `model=${paths[0]}`, paths[1]!, '-o', path]);
    expect(await fault(['pack', `x=${paths[0]}`, `x=${paths[1]}`, '-o', path])).toMatch(/two plans named "x"/);
    expect(await fault(['pack', 'x=none.onnx', '-o', path])).toMatch(/ERR_CLI_FILE.*none\.onnx/);
    const sign = folder.path('a=b.onnx');
    copyFileSync(model(0), sign);
    await ok(['pack', sign, '-o', path]);
  });

  test('an invalid row, an invalid file, a missing folder', async () => {
    const bad = folder.file('bad.jsonl', '{"text": "fine"}\n{"text": 5}\n');
    const path = folder.path('bad.brezel');
    expect(await fault(['pack', model(0), '-o', path, '-r', bad])).toMatch(/ERR_CLI_ROW.*bad\.jsonl.*line 2/);
    expect(await fault(['pack', rows, '-o', path])).toMatch(/ERR_ONNX_FORMAT/);
    expect(await fault(['pack', model(0), '-o', folder.path('no/where.brezel')])).toMatch(/ERR_STORE_FILE/);
    expect(await fault(['pack', model(0)])).toMatch(/ERR_CLI_USAGE.*--output/);
  });
});

describe('--sign and --key', () => {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const secret = privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
  const key = folder.file('KEY.pem', secret);
  const pub = folder.file('PUB.pem', publicKey.export({ type: 'spki', format: 'pem' }) as string);
  const signed = folder.path('signed.brezel');

  test('verify accepts the file of the key, and no other file', async () => {
    const printed = await ok(['pack', model(0), '-o', signed, '--sign', key]);
    expect(printed).not.toContain(secret.split('\n')[1]);
    expect(await ok(['verify', signed, '--key', pub])).toMatch(/signature +of key SHA256:/);
    expect(await ok(['verify', signed])).not.toContain('signature');
    expect(await fault(['verify', fleet, '--key', pub])).toMatch(/ERR_FLEET_SIGNATURE.*without a signature/);
    const facts = JSON.parse(await ok(['verify', signed, '--key', pub, '--json']));
    expect(facts.signedBy).toMatch(/^SHA256:/);
  });

  test('keys that do not sign, without a part of them in the error', async () => {
    const locked = privateKey.export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'secret' });
    const path = folder.path('unsigned.brezel');
    for (const [file, expected] of [
      [pub, /ERR_FLEET_KEY.*not PEM of a private key.*PUB\.pem/],
      [folder.file('LOCKED.pem', locked as string), /ERR_FLEET_KEY.*passphrase/],
      [folder.path('missing.pem'), /ERR_CLI_FILE/],
    ] as const)
      expect(await fault(['pack', model(0), '-o', path, '--sign', file])).toMatch(expected);
    const error = await fault(['verify', signed, '--key', key]);
    expect(error).toMatch(/ERR_FLEET_KEY.*a private key/);
    expect(error).not.toContain(secret.split('\n')[1]);
  });
});

describe('--profile', () => {
  const explained = async (...args: string[]) => (await ok(['explain', model(0), ...args])).replace(/, \d+ µs/g, '');

  test('rows decide the order of n-grams in a dictionary', async () => {
    const [plain, profiled] = [await explained(), await explained('--profile', rows)];
    expect(plain).toMatch(/key 5bd5127a/);
    expect(profiled).not.toMatch(/key 5bd5127a/);
    expect(profiled.replace(/key \w+/g, '').split('\nrules')[0]).toBe(
      plain.replace(/key \w+/g, '').split('\nrules')[0],
    );
  });

  test('answers are the same', async () => {
    const path = folder.path('profiled.brezel');
    await ok(['pack', model(0), '-o', path, '--profile', '-'], '{"text": "a good film"}\n');
    expect(await ok(['predict', path, '-i', rows])).toBe(await ok(['predict', model(0), '-i', rows]));
  });

  test('an invalid line, no line, standard input twice', async () => {
    const bad = folder.file('unfit.jsonl', '{"text": "fine"}\n\n{"text": 5}\n');
    expect(await fault(['explain', model(0), '--profile', bad])).toMatch(/ERR_CLI_ROW.*unfit\.jsonl.*line 3/);
    expect(await fault(['explain', model(0), '--profile', '-'], '')).toMatch(/ERR_CLI_ROW.*at least one row/);
    expect(await fault(['pack', model(0), '-o', fleet, '-r', '-', '--profile', '-'], '')).toMatch(
      /ERR_CLI_USAGE.*2 times/,
    );
  });
});

describe('verify', () => {
  test('checks bytes and answers', async () => {
    expect(await ok(['verify', fleet])).toMatch(/plans +3, .*\n.*all checksums correct\n.*golden rows +6, same bits/);
    expect(JSON.parse(await ok(['verify', '--json', fleet]))).toMatchObject({ plans: 3, rows: 6, differences: [] });
  });

  test('detects a changed byte', async () => {
    const bytes = readFileSync(fleet);
    bytes[bytes.length >> 1]! ^= 1;
    const path = folder.path('damaged.brezel');
    writeFileSync(path, bytes);
    expect(await fault(['verify', path])).toMatch(/ERR_STORE_DAMAGED.*byte \d+.*hint/);
  });

  test('detects a changed answer', async () => {
    const path = folder.path('other.brezel');
    forge(fleet, path, ({ plans }) => {
      forgeGolden(plans[1]!, ({ numbers }) => (numbers[2]! += 1e-9));
    });
    const { code, out, err } = await brezel(['verify', path]);
    expect(code).toBe(1);
    expect(out).toMatch(/sa-fam-a-01, row 0, probabilities: 0\.\d+ instead of 0\.\d+/);
    expect(err).toMatch(/ERR_CLI_GOLDEN.*1 number of 6 golden rows/);
  });
});

describe('a fleet file in place of a model', () => {
  test('predict gives the answers of the model', async () => {
    const expected = await ok(['predict', model(1), '--input', rows]);
    expect(await ok(['predict', `${fleet}#sa-fam-a-01`, '--input', rows])).toBe(expected);
    expect(await fault(['predict', fleet, '--input', rows])).toMatch(
      /ERR_CLI_PLAN.*3 plans: sa-fam-a-00.*hint: name one/,
    );
    expect(await fault(['predict', `${fleet}#other`, '--input', rows])).toMatch(/ERR_CLI_PLAN.*a plan "other"/);
  });

  test('a file with # in its name is a file', async () => {
    const path = folder.path('with#hash.brezel');
    await ok(['pack', model(0), '-o', path]);
    expect(await ok(['predict', path, '--input', rows])).toBe(await ok(['predict', model(0), '--input', rows]));
  });

  test('inspect shows its plans and what they share', async () => {
    const out = await ok(['inspect', fleet]);
    expect(out).toMatch(
      /fleet\.brezel {2}\d\.\d MB\n {2}plans +3\n {2}stages +5, 3 programs, 1 shape\n {2}parameters +26 objects, 1\.\d MB\n {2}manifest +\d/,
    );
    expect(out).toMatch(/fleet\.brezel#sa-fam-a-02\n {2}producer +brezel/);
    expect(out).toMatch(/3 models together\n {2}parameters {2}1\.\d MB in 26 objects/);
    const { models, files } = JSON.parse(await ok(['inspect', '--json', fleet, model(3)]));
    const [{ bytes, parameterBytes, manifestBytes }] = files;
    expect(parameterBytes + manifestBytes).toBeLessThan(bytes);
    expect(parameterBytes + manifestBytes).toBeGreaterThan(bytes - 128 * 30);
    expect(models).toHaveLength(4);
    expect(models[0]).toMatchObject({ name: 'sa-fam-a-00', engine: models[3].engine, stages: models[3].stages });
  });

  test('explain names the command to use instead', async () => {
    expect(await fault(['explain', fleet])).toMatch(/fleet file.*hint: run brezel inspect/);
  });
});

describe('diff', () => {
  test('of two plans: shared and separate parts', async () => {
    const out = await ok(['diff', `${fleet}#sa-fam-a-00`, model(1)]);
    expect(out).toMatch(
      /shared +1\.3 MB +in 17 parameters +2 stages\n +only A +8\.8 KB +in 3 parameters +1 stage\n +only B/,
    );
    expect(out.match(/^ +shared +[0-9a-f]{8} +featurizer/gm)).toHaveLength(2);
    const { parameters, stages } = JSON.parse(await ok(['diff', '--json', model(0), model(1)]));
    expect(parameters.onlyA).toEqual(parameters.onlyB);
    expect(stages.onlyA).toHaveLength(1);
    expect(stages.onlyA[0].role).toBe('model');
    expect(stages.onlyA[0].parameterBytes).toBeGreaterThanOrEqual(parameters.onlyA.bytes);
  });

  test('of a plan and its model: no difference', async () => {
    const { parameters, stages } = JSON.parse(await ok(['diff', '--json', `${fleet}#sa-fam-a-02`, model(2)]));
    expect(parameters.onlyA).toEqual({ objects: 0, bytes: 0 });
    expect([...stages.onlyA, ...stages.onlyB]).toEqual([]);
  });
});
