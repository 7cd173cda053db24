import { webError } from './errors.js';

/** A file: its URL, a response of `fetch`, or its bytes. */
export type FileSource = string | URL | Response | ArrayBuffer | Uint8Array;

/**
 * The largest file in bytes. The memory of WebAssembly has at most 4 GiB, and rows need a part of
 * it.
 */
export const MOST_FILE_BYTES = 2 ** 32 - 2 ** 28;

/**
 * Returns the bytes of a file.
 *
 * @throws ERR_WEB_FETCH, ERR_WEB_MEMORY
 */
export async function loadBytes(source: FileSource, most = MOST_FILE_BYTES): Promise<Uint8Array> {
  if (source instanceof Uint8Array) return fitting(source, most, 'bytes');
  if (source instanceof ArrayBuffer) return fitting(new Uint8Array(source), most, 'bytes');
  const at = source instanceof Response ? source.url : String(source);
  const response = source instanceof Response ? source : await fetched(source, at);
  if (!response.ok) throw webError('ERR_WEB_FETCH', { received: `status ${response.status}`, at });
  const length = Number(response.headers.get('content-length') ?? 0);
  if (length > most) throw tooLarge(length, most, at);
  return fitting(new Uint8Array(await response.arrayBuffer()), most, at);
}

async function fetched(source: string | URL, at: string): Promise<Response> {
  try {
    return await fetch(source);
  } catch (cause) {
    throw webError('ERR_WEB_FETCH', { received: (cause as Error).message, at, cause });
  }
}

function fitting(bytes: Uint8Array, most: number, at: string): Uint8Array {
  if (bytes.length > most) throw tooLarge(bytes.length, most, at);
  return bytes;
}

const tooLarge = (received: number, most: number, at: string) =>
  webError('ERR_WEB_MEMORY', { expected: `at most ${most} bytes`, received: `${received} bytes`, at });
