import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { ErrorBody } from './error-response.js';

interface ClientError {
  readonly status: number;
  readonly body: ErrorBody;
}

/**
 * Responses for errors that Node reports before a request exists. The keys are Node's error codes.
 */
const CLIENT_ERRORS: Readonly<Record<string, ClientError>> = {
  ERR_HTTP_REQUEST_TIMEOUT: {
    status: 408,
    body: { error: 'the request did not arrive in time', code: 'ERR_HTTP_REQUEST_TIMEOUT' },
  },
  HPE_HEADER_OVERFLOW: { status: 431, body: { error: 'the headers are too large', code: 'HPE_HEADER_OVERFLOW' } },
};
const MALFORMED: ClientError = { status: 400, body: { error: 'the request is not HTTP', code: 'ERR_HTTP_REQUEST' } };

/**
 * Answers a connection that does not send a valid request, and closes the connection. If a response
 * is being written, the connection is closed without an answer. The client would read the answer as
 * a part of the response.
 */
export function answerClientError({ code }: { readonly code?: string }, socket: Socket): void {
  const { _httpMessage: response } = socket as Socket & { _httpMessage?: { headersSent: boolean } | null };
  // Without a TLS handshake, the answer could not be sent and the socket would stay open.
  const { secureConnecting = false } = socket as Socket & { secureConnecting?: boolean };
  if (code === 'ECONNRESET' || !socket.writable || secureConnecting || response?.headersSent)
    return void socket.destroy();
  const { status, body } = CLIENT_ERRORS[code ?? ''] ?? MALFORMED;
  const text = JSON.stringify(body);
  const head = [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, 'Content-Type: application/json', 'Connection: close'];
  socket.write(`${head.join('\r\n')}\r\nContent-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
  socket.destroySoon(); // `end` would leave the socket open until the client closes its half
}
