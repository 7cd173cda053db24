// Measures the CPU time of `openFleet` in fresh processes: checksums, snapshots and signatures of a
// large file (ADR 20), and the comparison of kernel calls of many plans (ADR 21).
import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createFlour, openFleet, openStore, packFleet, vector } from 'brezel';
import { nextMessage, send, startTrial, trial } from '../harness/processes.mjs';
import { isQuick, measure } from '../harness/records.mjs';
import { summary } from '../harness/stats.mjs';
import { fleetFile } from '../models/files.mjs';

const TRIALS = isQuick ? 1 : 4;
/** The large file has this many weights of 4 bytes. */
const WEIGHTS = isQuick ? 2 ** 16 : 2 ** 26;
const WORDS = isQuick ? 50 : 5000;

/** @typedef {{ file: string, options: object, key?: string, wait?: boolean }} Open */

export const experiments = {
  async 'open-fleet'() {
    const folder = mkdtempSync(join(tmpdir(), 'brezel-open-'));
    try {
      await signatures(folder);
      await verification(folder);
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
};

/** Measures ways to open one large signed file. @param {string} folder */
async function signatures(folder) {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const key = publicKey.export({ type: 'spki', format: 'pem' });
  const file = join(folder, 'large.brezel');
  const store = await openStore();
  const flour = await createFlour({ store });
  const size = 2 ** 10;
  const weights = Float32Array.from({ length: WEIGHTS }, (_, index) => index % 1009);
  const x = flour.input('x', vector('float32', size));
  const bias = new Float32Array(WEIGHTS / size);
  const plan = flour.program({ y: x.linear({ weights, bias }) }).plan();
  await packFleet([{ plan, name: 'large' }], file, { store, sign: privateKey });
  flour.dispose();

  const perGigabyte = `ms per GB of ${Math.round((WEIGHTS * 4) / 1e6)} MB`;
  const open = { file, options: { verify: false } };
  const snapshot = { file, options: { verify: false, mapping: 'snapshot' } };
  await report("mapping: 'file'", perGigabyte, open);
  await report("mapping: 'snapshot', first process", perGigabyte, snapshot);
  await withHolder(snapshot, async () => {
    await report("mapping: 'snapshot', another process holds the copy", perGigabyte, snapshot);
    await report('trustedKeys, another process holds the copy', perGigabyte, { ...open, key: String(key) });
  });
  await report('verify: true', perGigabyte, { file, options: { verify: true } });
}

/** Measures the verification of many plans. @param {string} folder */
async function verification(folder) {
  const [few, many] = isQuick ? [2, 4] : [250, 1000];
  const files = [
    [`SA 10k, ${few} plans`, await fleetFile('10k', few)],
    [`one vocabulary, ${few} plans`, await vocabularyFile(folder, few)],
    [`one vocabulary, ${many} plans`, await vocabularyFile(folder, many)],
  ];
  for (const [name, file] of files)
    for (const verify of [false, true]) await report(`${name}, verify: ${verify}`, 'ms', { file, options: { verify } });
}

/**
 * Packs plans that share a vocabulary and have different weights. @param {string} folder @param
 * {number} count
 */
async function vocabularyFile(folder, count) {
  const file = join(folder, `vocabulary-${count}.brezel`);
  const store = await openStore();
  const flour = await createFlour({ store });
  const vocabulary = Array.from({ length: WORDS }, (_, word) => [`w${word}`]);
  const counts = flour.columns({ text: 'string' }).select('text').tokenize().wordNgram({ vocabulary });
  const members = Array.from({ length: count }, (_, member) => {
    const weights = Float32Array.from({ length: WORDS }, (_, word) => Math.sin(word * count + member));
    return { plan: counts.linear({ weights }).plan(), name: `member-${member}` };
  });
  await packFleet(members, file, { store });
  flour.dispose();
  return file;
}

/**
 * Records the CPU time to open a file. @param {string} what @param {string} unit @param {Open} open
 */
async function report(what, unit, open) {
  const times = [];
  for (let index = 0; index < TRIALS; index++) {
    const { cpuMs, bytes } = await trial(import.meta.url, 'open', open);
    times.push(unit === 'ms' ? cpuMs : (cpuMs / bytes) * 1e9);
  }
  measure(what, unit, summary(times));
}

/**
 * Runs a function while another process holds the copy of a file. @param {Open} open @param {() =>
 * Promise<void>} run
 */
async function withHolder(open, run) {
  const holder = startTrial(import.meta.url, 'open', { ...open, wait: true });
  await nextMessage(holder);
  await run();
  const closed = once(holder, 'close');
  holder.send('close');
  await closed;
}

export const trials = {
  /** Opens a file and sends the CPU time. @param {Open} parameters */
  async open({ file, options, key, wait = false }) {
    const all = key === undefined ? options : { ...options, trustedKeys: [createPublicKey(key)] };
    const before = process.cpuUsage();
    const fleet = await openFleet(file, all);
    const { user, system } = process.cpuUsage(before);
    await send({ cpuMs: (user + system) / 1000, bytes: fleet.bytes });
    if (wait) await once(process, 'message');
    fleet.close();
  },
};
