import { type BigIntStats, closeSync, constants, fstatSync, openSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { storeError } from '@brezel/object-store';
import { fleetFileError } from './errors.js';

/** An open regular file. The caller of `openFile` closes the descriptor. */
export interface OpenFile {
  readonly descriptor: number;
  readonly status: BigIntStats;
}

/**
 * Opens a regular file for reading.
 *
 * @throws ERR_STORE_FILE for a folder, a device or a pipe; the error of the system if opening
 * fails.
 */
export function openFile(path: string): OpenFile {
  // without O_NONBLOCK, opening a pipe without a writer would block
  const descriptor = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const status = fstatSync(descriptor, { bigint: true });
    if (status.isFile()) return { descriptor, status };
    const received = status.isDirectory() ? 'a folder' : 'a device or pipe';
    throw storeError('ERR_STORE_FILE', { expected: 'a file', received, at: path });
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
}

/** Fields that change when a program writes to a file or replaces the file. */
const compared = ['dev', 'ino', 'size', 'mtimeNs', 'ctimeNs'] as const;

/**
 * Checks that a file did not change since it was opened, and that its path still refers to this
 * file.
 *
 * @throws ERR_FLEET_CHANGED
 */
export async function checkUnchanged({ descriptor, status }: OpenFile, path: string): Promise<void> {
  const now = [fstatSync(descriptor, { bigint: true }), await stat(path, { bigint: true }).catch(() => undefined)];
  for (const found of now) {
    const field = compared.find((name) => found?.[name] !== status[name]);
    if (field === undefined) continue;
    const received = found === undefined ? 'no file' : `${field} ${found[field]}`;
    throw fleetFileError('ERR_FLEET_CHANGED', { expected: `${field} ${status[field]}`, received, at: path });
  }
}
