import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createFlour, importModel, packFleet } from 'brezel';

// A page that scores a review while you type. The server sends files and computes no score.

const sources = new URL('../../', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, sources));
const ofPackage = (name: string) => readFileSync(fileURLToPath(import.meta.resolve(name)));

// 1. In Node: import the model and pack it into a fleet file.
const folder = await mkdtemp(join(tmpdir(), 'brezel-web-page-'));
const flour = await createFlour();
const model = importModel(read('models/sa-fam-a-00.onnx'), flour);
if (model.kind !== 'row') throw new Error('the model is not a row program');
const plan = model.program.plan();
await packFleet([{ plan, name: 'sentiment' }], join(folder, 'fleet.brezel'), { store: flour.store });
plan.release();
flour.dispose();

// 2. The page loads five files from its own origin.
const files: Readonly<Record<string, readonly [string, Buffer]>> = {
  '/': ['text/html', read('web-page/page.html')],
  '/page.js': ['text/javascript', read('web-page/page.js')],
  '/page.css': ['text/css', read('web-page/page.css')],
  '/web.js': ['text/javascript', ofPackage('brezel/web')],
  '/kernels.wasm': ['application/wasm', ofPackage('brezel/kernels.wasm')],
  '/fleet.brezel': ['application/octet-stream', readFileSync(join(folder, 'fleet.brezel'))],
};
await rm(folder, { recursive: true });

// 3. WebAssembly needs 'wasm-unsafe-eval'. JavaScript still cannot use `eval`.
const policy =
  "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'; style-src 'self'; img-src data:";
const server = createServer(({ url = '/' }, response) => {
  const file = Object.hasOwn(files, url) ? files[url] : undefined;
  if (file === undefined) return void response.writeHead(404).end();
  response.writeHead(200, { 'content-type': file[0], 'content-security-policy': policy }).end(file[1]);
});
server.listen(Number(process.argv[2] ?? 0), '127.0.0.1', () => {
  console.log(`Open http://127.0.0.1:${(server.address() as AddressInfo).port}/ and type a review.`);
  // without a port, the example only shows that it starts
  if (process.argv[2] === undefined) server.close();
});
