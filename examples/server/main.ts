import { startGrpcServer } from '@brezel/grpc';
import { startServer } from '@brezel/http';
import { createRegistry } from 'brezel';
import { client } from './client.js';
import { inferOverGrpc } from './grpc.js';
import { serveInProcesses } from './processes.js';
import { inferBinary } from './tensors.js';

// 1. Two versions of one model, behind an HTTP server and a gRPC server on free ports of this
// machine.
const registry = await createRegistry();
const models = new URL('../../models/', import.meta.url);
registry.add('sentiment', new URL('sa-fam-a-00.onnx', models), { version: 1 });
registry.add('sentiment', new URL('sa-fam-a-01.onnx', models), { version: 2 });
await registry.load('sentiment');
const server = await startServer({ registry, port: 0, token: 'secret', open: ['predict'], page: true });
const grpc = await startGrpcServer({ registry, port: 0, token: 'secret', openPredict: true });
console.log(`listening on ${server.url}, grpc: ${grpc.address}`);
const { get, post } = client(server.url);
const withToken = { authorization: 'Bearer secret' };

// 2. Plain JSON: one row.
const one = await post('/predict/sentiment', { text: 'a charming little film' });
console.log(`${one.version} answers label ${one.body.label}`);

// 3. Plain JSON: a stream of rows, one per line.
const stream = await fetch(`${server.url}/predict/sentiment`, {
  method: 'POST',
  headers: { 'content-type': 'application/x-ndjson' },
  body: '{"text": "good"}\n{"txt": "a wrong field"}\n',
});
const lines = (await stream.text())
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line));
console.log(`stream: label ${lines[0].label}, then ${lines[1].code} in line ${lines[1].line}`);

// 4. Tensors: the Open Inference Protocol v2, as KServe and Triton clients send it: in JSON, as
// bytes after the JSON, and over gRPC.
const texts = ['charming', 'a waste of time'];
const inputs = [{ name: 'text', datatype: 'BYTES', shape: [2], data: texts }];
const { body } = await post('/v2/models/sentiment/infer', { id: '42', inputs, outputs: [{ name: 'label' }] });
console.log(`tensors: ${JSON.stringify(body.outputs[0])}`);
console.log(`binary tensors: labels ${await inferBinary(server.url, texts)}`);
console.log(`gRPC: labels ${await inferOverGrpc(grpc.address, texts)}`);

// 5. Control: clients with the token move an alias, unload and load models while the server runs.
console.log(`without the token: ${(await post('/admin/aliases/sentiment/promote', { version: 2 })).status}`);
await post('/admin/aliases/sentiment/promote', { version: 2 }, withToken);
console.log(`now ${(await post('/predict/sentiment', { text: 'good' })).version} answers`);
await post('/v2/repository/models/sentiment/unload', {}, withToken);
await post('/v2/repository/models/sentiment/load', {}, withToken);
const index = (await (
  await fetch(`${server.url}/v2/repository/index`, { method: 'POST', headers: withToken })
).json()) as {
  readonly version: string;
  readonly state: string;
}[];
console.log(`index: ${index.map(({ version, state }) => `${version} ${state}`).join(', ')}`);

// 6. What to look at: the description of the API, metrics for Prometheus, statistics, and the page.
const { openapi, paths } = JSON.parse(await get('/openapi.json')) as { openapi: string; paths: object };
console.log(`OpenAPI ${openapi} describes ${Object.keys(paths).length > 10 ? 'all routes' : 'too few routes'}`);
const metrics = await get('/metrics', withToken);
const predictions = 'brezel_http_request_seconds_count{method="POST",route="/predict/:reference",status="200"}';
console.log(`metrics: ${metrics.split('\n').find((line) => line.startsWith(predictions))}`);
const { requests } = JSON.parse(await get('/statistics', withToken)) as { requests: { failed: number } };
console.log(`statistics: ${requests.failed} failed requests`);
console.log(`the page: ${/<title>.*<\/title>/.exec(await get('/page', withToken))?.[0] ?? 'missing'}`);

await grpc.close();
await server.close();
await registry.close();

// 7. Several processes over one fleet file, as `brezel serve --processes 2` starts them.
console.log(await serveInProcesses(new URL('sa-fam-a-00.onnx', models)));
