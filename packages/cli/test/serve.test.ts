import { once } from 'node:events';
import { copyFileSync, mkdirSync, renameSync } from 'node:fs';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import { PassThrough, Readable } from 'node:stream';
import { startGrpcServer } from '@brezel/grpc';
import { connectFleet } from '@brezel/nats';
import { DataType, makeGraph, makeModel, makeNode, tensorInput, writeModel } from '@brezel/onnx';
import { createRegistry } from 'brezel';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { until } from '../../../testing/until.js';
import { failure, TestClient } from '../../grpc/test/client.js';
import { hasNatsServer, startNats } from '../../nats/test/nats-server.js';
import { brezel, brezelProcess, model, regressorModel, runMain, temporaryFolder } from './brezel.js';
import { ngramModel } from './ngram-model.js';
import { killServers, serve } from './spawn-server.js';

const folder = temporaryFolder();
afterAll(folder.remove);
afterEach(killServers);

/**
 * Runs `brezel serve` in this process, which is faster. Use it if process, signals and logs are not
 * tested.
 */
async function serveHere(...args: readonly string[]): Promise<{ url: string; stop(): Promise<number> }> {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const ended = runMain(['serve', '--port', '0', ...args], { stdin: Readable.from([]), stdout, stderr });
  const [line] = await once(createInterface({ input: stdout }), 'line');
  return {
    url: String(line).slice('listening on '.length),
    stop() {
      process.emit('SIGTERM');
      return ended;
    },
  };
}

const post = async (url: string, body: unknown, headers = {}) => {
  const init = {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json', ...headers },
  };
  const response = await fetch(url, init);
  return { status: response.status, body: await response.json() };
};

const one = folder.file('one.onnx', regressorModel([1, 0]));
const two = folder.file('two@2.onnx', regressorModel([0, 1]));
const rows = { x: [3, 5] };

describe('brezel serve', () => {
  test('accepts missing values and writes short decimals, for files and folders', async () => {
    const imputed = { imputed_value_floats: { floats: [0.1, 8] }, replaced_value_float: { f: Number.NaN } };
    const imputer = makeNode('Imputer', ['x'], ['y'], imputed, 'ai.onnx.ml');
    const graph = makeGraph({
      name: 'imputer',
      input: [tensorInput('x', DataType.FLOAT, [null, 2])],
      output: [tensorInput('y', DataType.FLOAT, [null, 2])],
      node: [imputer],
    });
    const bytes = writeModel(makeModel(graph, { '': 17, 'ai.onnx.ml': 3 }));
    mkdirSync(folder.path('imputers'));
    const [file, watched] = [folder.file('file.onnx', bytes), folder.file('imputers/watched.onnx', bytes)];
    const lenient = await serveHere(file, dirname(watched), '--extra-fields', 'ignore');
    for (const name of ['file', 'watched']) {
      const answers = await post(`${lenient.url}/predict/${name}`, [{ x: [null, 5] }, {}, { x: ['NaN', 0.3], z: 1 }]);
      expect(answers).toEqual({ status: 200, body: [{ y: [0.1, 5] }, { y: [0.1, 8] }, { y: [0.1, 0.3] }] });
    }
    await lenient.stop();
    const strict = await serveHere(file, '--missing', 'refuse');
    for (const row of [{ x: [null, 5] }, {}, { x: [1, 2], z: 1 }])
      expect(await post(`${strict.url}/predict/file`, row)).toMatchObject({ status: 400 });
    await strict.stop();
  });

  test('serves files by name, prints one line, and ends at SIGTERM', async () => {
    const server = await serve(one, two, `three@7=${one}`);
    expect(server.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect((await post(`${server.url}/predict/one`, rows)).body).toEqual({ y: [3] });
    expect((await post(`${server.url}/predict/two@2`, rows)).body).toEqual({ y: [5] });
    expect((await post(`${server.url}/predict/three@7`, rows)).body).toEqual({ y: [3] });
    expect(await server.stop()).toEqual({ code: 0, out: `listening on ${server.url}\n`, err: '' });
  });

  test('serves the plans of a fleet file, and ends at SIGINT', async () => {
    const fleet = folder.path('fleet.brezel');
    expect((await brezel(['pack', model(0), model(1), '-o', fleet])).code).toBe(0);
    const server = await serve(fleet, `a=${fleet}#sa-fam-a-01`, '--limit', 'nodes=9', '--repair-ngrams');
    expect((await post(`${server.url}/predict/sa-fam-a-00`, { text: 'good' })).status).toBe(200);
    expect((await post(`${server.url}/predict/a`, { text: 'good' })).status).toBe(200);
    const { code, err } = await server.stop('SIGINT');
    expect(code).toBe(0);
    expect(err).toBe(
      `${fleet}: --limit, --repair-ngrams has no effect on a fleet file. Pass the flag to brezel pack.\n`,
    );
  });

  test.skipIf(!hasNatsServer)('answers over NATS with --join, until SIGTERM', async () => {
    const nats = await startNats();
    const server = await serve(one, '--join', nats.url, '--name', 'r1', '--concurrency', '3');
    const fleet = await connectFleet({ servers: nats.url });
    expect(await fleet.predict('one', rows)).toEqual({ y: [3] });
    expect((await server.stop()).code).toBe(0);
    await fleet.close();
    const later = await connectFleet({ servers: nats.url });
    await expect(later.predict('one', rows)).rejects.toMatchObject({ code: 'ERR_NATS_NO_SERVER' });
    await later.close();
    await nats.kill();
  });

  test('serves gRPC with --grpc-port, until SIGTERM', async () => {
    const server = await serve(one, '--grpc-port', '0', '--token-file', folder.file('grpc-token', 'secret'));
    const client = new TestClient(await server.line(/^grpc: (127\.0\.0\.1:\d+)$/));
    const inputs = [{ name: 'x', datatype: 'FP32', shape: [1, 2], contents: { fp32_contents: [3, 5] } }];
    const request = { model_name: 'one', inputs };
    const { outputs } = await client.call('ModelInfer', request, { token: 'secret' });
    expect(outputs[0].contents.fp32_contents).toEqual([3]);
    expect((await failure(client.call('ModelInfer', request))).code).toBe('ERR_GRPC_TOKEN');
    client.close();
    expect((await server.stop()).code).toBe(0);
  });

  test('is ready when its models are warm, unless --no-warm', async () => {
    const threads = async (...flags: readonly string[]) => {
      const server = await serveHere(one, ...flags);
      expect((await fetch(`${server.url}/v2/health/ready`)).status).toBe(200);
      const metrics = await (await fetch(`${server.url}/metrics`)).text();
      await server.stop();
      const counts = metrics.matchAll(/^brezel_executor_threads\{.*\} (\d+)$/gm);
      return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
    };
    expect(await threads()).toBeGreaterThan(0);
    expect(await threads('--no-warm')).toBe(0);
  });

  test('after SIGTERM, answers but is not ready for --shutdown-delay-ms', async () => {
    const server = await serve(one, '--grpc-port', '0', '--shutdown-delay-ms', '2000000000');
    const client = new TestClient(await server.line(/^grpc: (127\.0\.0\.1:\d+)$/));
    expect(await client.call('ServerReady')).toEqual({ ready: true });
    const health = async (path: string) => (await fetch(`${server.url}/v2/health/${path}`)).status;
    expect([await health('ready'), await health('live')]).toEqual([200, 200]);
    const ended = server.stop();
    await until(async () => (await health('ready')) === 503);
    expect([await health('live'), (await post(`${server.url}/predict/one`, rows)).status]).toEqual([200, 200]);
    expect(await client.call('ServerReady')).toEqual({ ready: false });
    client.close();
    await server.stop(); // a second signal ends the process immediately
    expect((await ended).code).toBe(null);
    const short = await serve(one, '--shutdown-delay-ms', '1');
    expect((await short.stop()).code).toBe(0);
  });

  test('ends without --shutdown-delay-ms if it cannot start', async () => {
    await using registry = await createRegistry();
    const other = await startGrpcServer({ registry, port: 0 });
    const port = other.address.split(':')[1]!;
    const ended = await brezel(['serve', one, '--port', '0', '--grpc-port', port, '--shutdown-delay-ms', '2000000000']);
    expect([ended.code, ended.err]).toEqual([1, expect.stringContaining('ERR_GRPC_ADDRESS')]);
    await other.close();
  });

  test('follows a folder with --watch', async () => {
    const models = folder.path('watched');
    mkdirSync(models);
    copyFileSync(one, `${models}/live@1.onnx`);
    const server = await serveHere(models, '--watch');
    expect((await post(`${server.url}/predict/live`, rows)).body).toEqual({ y: [3] });
    const next = folder.file('next', regressorModel([1, 1]));
    renameSync(next, `${models}/live@2.onnx`);
    await until(async () => (await post(`${server.url}/predict/live`, rows)).body.y[0] === 8);
    expect(await server.stop()).toBe(0);
  });

  test('skips a broken file of a folder with a warning', async () => {
    const models = folder.path('mixed');
    mkdirSync(models);
    copyFileSync(one, `${models}/good.onnx`);
    folder.file('mixed/bad.onnx', 'not a model');
    const server = await serve(models);
    expect((await post(`${server.url}/predict/good`, rows)).status).toBe(200);
    expect((await server.stop()).err).toContain('bad');
  });

  test('requires the token of --token-file', async () => {
    const server = await serveHere(one, '--token-file', folder.file('token', 'secret\n'));
    expect((await post(`${server.url}/predict/one`, rows)).status).toBe(401);
    expect((await post(`${server.url}/predict/one`, rows, { authorization: 'Bearer secret' })).status).toBe(200);
    expect((await fetch(`${server.url}/v2/health/ready`)).status).toBe(200);
    await server.stop();
  });

  test('--access-log writes one line of JSON for each request', async () => {
    const server = await serve(one, '--access-log');
    await post(`${server.url}/predict/one?key=private`, rows);
    const { out } = await server.stop();
    const lines = out
      .trim()
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line));
    const requests = lines.filter(({ msg }) => msg === 'request');
    expect(requests).toEqual([
      expect.objectContaining({ method: 'POST', url: '/predict/one', status: 200, version: 'one@1' }),
    ]);
    expect(out).not.toContain('private');
  });
});

describe('brezel top', () => {
  test('prints the numbers of a server once', async () => {
    const token = folder.file('top-token', 'secret');
    const server = await serve(one, two, '--page', '--token-file', token);
    await post(`${server.url}/predict/one`, rows, { authorization: 'Bearer secret' });
    const { code, out, err } = await brezel(['top', server.url, '--token-file', token, '--once']);
    expect([code, err]).toEqual([0, '']);
    expect(out).toMatch(
      /^requests {4}1, - per second, \d in flight, 0 failed\nlatency {5}p50 [\d.]+ ms, p99 [\d.]+ ms\n/,
    );
    expect(out).toMatch(/^processes {3}1, RSS [\d.]+ MB/m);
    expect(out).toMatch(/^ +version +state +requests +per second +p50 ms +p99 ms +failures +parameters$/m);
    expect(out).toMatch(/^ +one@1 +loaded +1 +- +[\d.]+ +[\d.]+ +0 +\d+ B$/m);
    expect(out).toMatch(/^ +two:default +-> two@2$/m);
    expect(await brezel(['top', server.url, '--once'])).toMatchObject({
      code: 1,
      err: expect.stringContaining('ERR_CLI_SERVER_ANSWER'),
    });
    expect((await server.stop()).out).toBe(`listening on ${server.url}\npage: ${server.url}/page\n`);
    expect(await brezel(['top', server.url, '--once'])).toMatchObject({ code: 1 });
    expect(await brezel(['top', 'ftp://host', '--once'])).toMatchObject({ code: 2 });
  });
});

test('--repair-ngrams splits n-grams of the models', async () => {
  const film = folder.file('unsplit.onnx', ngramModel('[a-z]+', ['bad', 'not good'], 2));
  const server = await serveHere(film, '--repair-ngrams');
  expect(await post(`${server.url}/predict/unsplit`, 'not good')).toMatchObject({ body: { y: [0, 1] } });
  expect(await server.stop()).toBe(0);
});

describe('an invalid command line', () => {
  test.each([
    ['a missing file', [folder.path('missing.onnx')], 1, 'ERR_CLI_FILE'],
    ['a file that is no model', [folder.file('text.onnx', 'text')], 1, 'ERR_REGISTRY_LOAD'],
    ['two models with one name', [one, `one=${two}`], 2, 'two models named one@1'],
    ['a limit of the import', [one, '--limit', 'nodes=0'], 1, 'pass a greater limit: --limit nodes='],
    ['an unknown limit', [one, '--limit', 'nods=5'], 1, 'correct the flag --limit NAME=NUMBER'],
    ['a wrong port', [one, '--port', '65536'], 2, 'Write an integer from 0 to 65535'],
    ['a wrong size', [one, '--max-body', '16 apples'], 2, 'Write bytes as'],
    ['too large a size', [one, '--max-body', '2gb'], 2, 'from 1 to 2147483647'],
    ['no bytes', [one, '--max-body', '0'], 2, 'from 1 to 2147483647'],
    ['no process', [one, '--processes', '0'], 2, "'--processes <number>' argument '0' is invalid"],
    ['processes without a number', [one, '--processes', 'NaN'], 2, "'--processes <number>' argument 'NaN' is invalid"],
    ['half of TLS', [one, '--tls-key', one], 2, '--tls-key without --tls-cert'],
    ['--open without a token', [one, '--open', 'predict'], 2, '--open without --token-file'],
    ['an unknown group', [one, '--open', 'pages'], 2, 'Write predict, metrics and page'],
    ['an empty token', [one, '--token-file', folder.file('empty', '\n')], 1, 'a token'],
    ['a token beyond ASCII', [one, '--token-file', folder.file('accents', 'secr\u00e9t')], 1, 'printable ASCII'],
    ['a file that is no certificate', [one, '--tls-cert', one, '--tls-key', one], 1, 'tls.cert (--tls-cert)'],
    [
      'a file that is no certificate, before the models',
      [folder.path('missing.onnx'), '--processes', '2', '--tls-cert', one, '--tls-key', one],
      1,
      'tls.cert (--tls-cert)',
    ],
    ['--name without --join', [one, '--name', 'r1'], 2, '--name without --join'],
    ['an empty address', [one, '--join', 'nats://a,'], 2, 'Write nats://HOST:PORT'],
    ['an address with credentials', [one, '--join', 'nats://user:hunter2@a'], 1, 'an address without credentials'],
    ['no NATS server', [one, '--join', 'nats://127.0.0.1:1'], 1, 'ERR_NATS_CONNECTION'],
    ['--watch without a folder', [one, '--watch'], 2, '--watch without a folder'],
    ['a reference as name', [`a:b=${one}`], 1, 'ERR_REGISTRY_REFERENCE'],
  ] as const)('%s', async (_, args, code, message) => {
    const ended = await brezel(['serve', '--port', '0', ...args]);
    expect(ended.err).toContain(message);
    expect(ended.err).not.toContain('hunter2');
    expect(ended.code).toBe(code);
  });

  test('an empty folder', async () => {
    mkdirSync(folder.path('empty-folder'));
    expect(await brezel(['serve', folder.path('empty-folder')])).toMatchObject({ code: 2 });
  });

  test.each([
    ['@brezel/http', []],
    ['@brezel/grpc', ['--grpc-port', '0']],
    ['@brezel/nats', ['--join', 'nats://127.0.0.1:1']],
  ])('without %s, it says what to install', async (missing, flags) => {
    const hook = `export async function resolve(name, context, next) {
      if (name !== '${missing}') return next(name, context);
      throw Object.assign(new Error("Cannot find package '${missing}'"), { code: 'ERR_MODULE_NOT_FOUND' });
    }`;
    const file = folder.file(
      'without.mjs',
      `import { register } from 'node:module'; register(${JSON.stringify(`data:text/javascript,${encodeURIComponent(hook)}`)});`,
    );
    const ended = await brezelProcess(['serve', one, ...flags], undefined, { NODE_OPTIONS: `--import ${file}` });
    expect(ended).toMatchObject({ code: 1, out: '' });
    expect(ended.err).toContain(`npm install ${missing}`);
  });
});
