import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Answer, createRegistry } from 'brezel';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { certificatePair } from '../../../testing/certificate.js';
import { connectFleet, followCatalog, joinCluster, openBatches, openCatalog } from '../dist/index.js';
import { errorOf } from './errors.js';
import { member, pack } from './fleet-files.js';
import { hasNatsServer, type NatsServer, startNats } from './nats-server.js';

// Each account may use only the subjects that README.md lists for its task. All connections use
// TLS.

const PERMISSIONS = {
  publisher: {
    publish: ['$JS.API.>', '$O.brezel-artifacts.>', '$KV.brezel-catalog.>'],
    subscribe: ['_INBOX.>'],
  },
  server: {
    publish: [
      '_INBOX.>',
      '$JS.API.>',
      '$JS.ACK.>',
      'brezel.v1.servers',
      'brezel.v1.servers-ask',
      'brezel.v1.batch-answers.>',
    ],
    subscribe: [
      '_INBOX.>',
      'brezel.v1.predict.text',
      'brezel.v1.control.text',
      'brezel.v1.servers',
      'brezel.v1.servers-ask',
      'brezel.v1.batch-wake',
    ],
  },
  client: {
    publish: [
      'brezel.v1.predict.text',
      'brezel.v1.control.text',
      '$JS.API.>',
      '$KV.brezel-batches.>',
      'brezel.v1.batch-rows.>',
      'brezel.v1.batch-wake',
    ],
    subscribe: ['_INBOX.>'],
  },
  caller: { publish: ['brezel.v1.predict.text', 'brezel.v1.control.text'], subscribe: ['_INBOX.>'] },
};
type Account = keyof typeof PERMISSIONS;
const accounts = Object.keys(PERMISSIONS) as Account[];

const folder = mkdtempSync(join(tmpdir(), 'brezel-accounts-'));
afterAll(() => rmSync(folder, { recursive: true }));
const texts = ['a good film', 'a bad film', 'an ending'];

describe.skipIf(!hasNatsServer)('accounts with the documented permissions, over TLS', () => {
  let nats: NatsServer;
  const caFile = join(folder, 'cert.pem');

  beforeAll(async () => {
    const { cert, key } = certificatePair();
    writeFileSync(caFile, cert);
    writeFileSync(join(folder, 'key.pem'), key);
    const users = accounts.map((user) => ({ user, password: `${user}-secret`, permissions: PERMISSIONS[user] }));
    const config = join(folder, 'nats.conf');
    writeFileSync(config, `authorization ${JSON.stringify({ users })}`);
    const tls = ['--tls', '--tlscert', caFile, '--tlskey', join(folder, 'key.pem')];
    nats = await startNats(0, ['-c', config, '-js', '-sd', join(folder, 'jetstream'), ...tls]);
  });
  afterAll(() => nats?.kill());

  /** Opens something with the credentials of an account. */
  async function as<T>(account: Account, open: (options: { servers: string; tls: object }) => Promise<T>): Promise<T> {
    Object.assign(process.env, { NATS_USER: account, NATS_PASSWORD: `${account}-secret` });
    try {
      return await open({ servers: `tls://localhost:${nats.port}`, tls: { caFile } });
    } finally {
      delete process.env.NATS_USER;
      delete process.env.NATS_PASSWORD;
    }
  }

  test('push, placement, requests and batches', async () => {
    const file = join(folder, 'text.brezel');
    await pack(file, { text: member(0) });
    const catalog = await as('publisher', (options) => openCatalog(options));
    await catalog.push(file);
    const registry = await createRegistry();
    const placing = { name: 'r1', memoryBytes: 2 ** 30, heartbeatMs: 100, cacheFolder: join(folder, 'cache') };
    const follower = await as('server', (options) => followCatalog({ ...options, ...placing, registry }));
    const server = await as('server', (options) => joinCluster({ ...options, registry, name: 'r1' }));
    await follower.synchronized();
    await server.synchronized();
    expect(follower.stats().placement).toEqual({ servers: ['r1'], models: ['text'] });

    const expected = await registry.predictBatch('text', texts);
    const fleet = await as('caller', (options) => connectFleet(options));
    expect(await fleet.predictBatch('text', texts)).toEqual(expected);
    const batches = await as('client', (options) => openBatches(options));
    const { id } = await batches.submit('text', texts);
    const answers: Answer[] = [];
    for await (const some of batches.answers(id)) answers.push(...some);
    expect(answers).toEqual(expected);

    for (const part of [fleet, batches, server, follower, registry, catalog]) await part.close();
  });

  test('an account without permission gets an error', async () => {
    for (const open of [openBatches, openCatalog]) {
      const error = await as('caller', (options) => errorOf(open(options)));
      expect(error).toMatchObject({ code: 'ERR_NATS_PERMISSION', statusCode: 403 });
    }
  });
});
