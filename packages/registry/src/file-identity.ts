import { stat } from 'node:fs/promises';
import { registryError } from './errors.js';

/** Identifies the content of a file by its size and modification time. */
export interface FileIdentity {
  readonly id: string;
  readonly changedMs: number;
}

/**
 * Returns the identity of a file.
 *
 * @throws ERR_REGISTRY_SOURCE when the path is not a regular file; Node's error when the path does
 * not exist.
 */
export async function identify(path: string): Promise<FileIdentity> {
  const status = await stat(path, { bigint: true });
  if (!status.isFile()) {
    const received = status.isDirectory() ? 'a folder' : 'a device or pipe';
    throw registryError('ERR_REGISTRY_SOURCE', { expected: 'a file', received, at: path });
  }
  return { id: `${status.size} bytes, changed ${status.mtimeNs}`, changedMs: Number(status.mtimeMs) };
}

/**
 * Calls `read` and returns its result. If the file changed in the meantime, passes the result to
 * `giveBack` and throws.
 *
 * @throws ERR_REGISTRY_CHANGED
 */
export async function whileUnchanged<T>(
  path: string,
  identity: string,
  read: () => Promise<T>,
  giveBack: (read: T) => void,
): Promise<T> {
  const result = await read();
  const after = await identify(path).catch(() => undefined);
  if (after?.id === identity) return result;
  giveBack(result);
  throw changed(path, identity, after?.id ?? 'no file');
}

export const changed = (at: string, expected: string, received: string) =>
  registryError('ERR_REGISTRY_CHANGED', { expected, received, at });
