import { startServer } from '@brezel/http';
import { createRegistry } from 'brezel';

// 1. Two versions of one model, behind a server on a free port of this machine.
const registry = await createRegistry();
const models = new URL('../../models/', import.meta.url);
registry.add('sentiment', new URL('sa-fam-a-00.onnx', models), { version: 1 });
registry.add('sentiment', new URL('sa-fam-a-01.onnx', models), { version: 2 });
await registry.load('sentiment');
const server = await startServer({ registry, port: 0, token: 'secret', open: ['predict'] });
console.log(`listening on ${server.url}`);

/** The fields of a response that this program reads. */
interface Answered {
  readonly label: number;
  readonly outputs: readonly object[];
}

const post = async (path: string, body: unknown, headers: Readonly<Record<string, string>> = {}) => {
  const init = {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  };
  const response = await fetch(`${server.url}${path}`, init);
  return {
    status: response.status,
    version: response.headers.get('x-model-version'),
    body: (await response.json()) as Answered,
  };
};

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

// 4. Tensors: the Open Inference Protocol v2, as KServe and Triton clients send it.
const inputs = [{ name: 'text', datatype: 'BYTES', shape: [2], data: ['charming', 'a waste of time'] }];
const { body } = await post('/v2/models/sentiment/infer', { id: '42', inputs, outputs: [{ name: 'label' }] });
console.log(`tensors: ${JSON.stringify(body.outputs[0])}`);

// 5. Control: clients with the token move an alias while the server runs.
console.log(`without the token: ${(await post('/admin/aliases/sentiment/promote', { version: 2 })).status}`);
await post('/admin/aliases/sentiment/promote', { version: 2 }, { authorization: 'Bearer secret' });
console.log(`now ${(await post('/predict/sentiment', { text: 'good' })).version} answers`);

await server.close();
await registry.close();
