import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A parsed inference request of a test. */
export interface Infer {
  readonly id: string;
  readonly inputs: readonly { readonly name: string; readonly shape: number[]; readonly data: never[] }[];
  readonly outputs: readonly { readonly name: string }[];
}

/** What a test server does with an inference request. */
export type Answering = (infer: Infer, response: ServerResponse, request: IncomingMessage) => unknown;

/** A server of the protocol that a test controls. */
export interface TestServer {
  readonly url: string;
  readonly port: number;
  /** The inference requests that have arrived. */
  readonly requests: Infer[];
  /** Answers the next inference requests. */
  answer: Answering;
  /** The metadata of the model. */
  metadata: unknown;
  /** The number of metadata requests that have arrived. */
  described: number;
  readonly headers: IncomingMessage['headers'][];
  close(): Promise<void>;
}

export const SUMS = {
  name: 'sums',
  platform: 'test',
  inputs: [{ name: 'x', datatype: 'FP32', shape: [-1, 2] }],
  outputs: [{ name: 'y', datatype: 'FP64', shape: [-1] }],
};

/** Returns the answer of the model `sums`: `y` is the sum of the two numbers of a row. */
export function sums({ id, inputs }: Infer) {
  const { data, shape } = inputs[0]!;
  const y = Array.from({ length: shape[0]! }, (_, row) => Number(data[2 * row]) + Number(data[2 * row + 1]));
  return { id, model_name: 'sums', outputs: [{ name: 'y', datatype: 'FP64', shape: [shape[0]!], data: y }] };
}

export const send = (response: ServerResponse, body: unknown, status = 200) =>
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));

/** Starts a server of the model `sums`. */
export async function startServer(answer: Answering = (infer, response) => send(response, sums(infer)), port = 0) {
  const state = { requests: [] as Infer[], answer, metadata: SUMS as unknown, described: 0, headers: [] as never[] };
  const server = createServer(async (request, response) => {
    state.headers.push(request.headers as never);
    if (request.method === 'GET') {
      // The client then has no open connection to a server that a test stops.
      response.setHeader('connection', 'close');
      if (request.url === '/v2') return send(response, { name: 'test', version: '1', extensions: [] });
      state.described++;
      return send(response, state.metadata);
    }
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const infer = JSON.parse(Buffer.concat(chunks).toString()) as Infer;
    state.requests.push(infer);
    state.answer(infer, response, request);
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const { port: bound } = server.address() as AddressInfo;
  return Object.assign(state, {
    url: `http://127.0.0.1:${bound}`,
    port: bound,
    close: () => closed(server),
  }) as TestServer;
}

async function closed(server: Server): Promise<void> {
  if (!server.listening) return;
  server.close();
  server.closeAllConnections();
  await once(server, 'close');
}
