import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The folders that are removed when this process exits. After SIGKILL, they remain. */
const folders = new Set<string>();
let isWatching = false;

/** A folder for the sockets of processes that this process starts. */
export interface SocketFolder {
  readonly path: string;
  /** Removes the folder and its sockets. Repeated calls are allowed. */
  remove(): void;
}

/** Creates a folder for sockets that only this user can read. */
export function socketFolder(): SocketFolder {
  const path = mkdtempSync(join(tmpdir(), 'brezel-'));
  folders.add(path);
  removeAtExit();
  chmodSync(path, 0o700);
  return { path, remove: () => removeFolder(path) };
}

function removeAtExit(): void {
  if (isWatching) return;
  isWatching = true;
  process.on('exit', () => folders.forEach(removeFolder));
}

function removeFolder(path: string): void {
  folders.delete(path);
  rmSync(path, { recursive: true, force: true });
}
