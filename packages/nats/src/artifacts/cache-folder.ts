import { lstat, mkdir, readdir, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { natsError } from '../errors.js';

const OTHERS = 0o077;
/** A temporary file without a write for this time belongs to a process that has ended. */
const ABANDONED_MS = 3_600_000;

/** Returns `$XDG_CACHE_HOME/brezel-nats`, or `~/.cache/brezel-nats`. */
export function defaultCacheFolder(): string {
  const { XDG_CACHE_HOME: configured = '' } = process.env;
  return join(isAbsolute(configured) ? configured : join(homedir(), '.cache'), 'brezel-nats');
}

/**
 * Creates the folder of a cache if it is missing, and removes the temporary files of processes that
 * have ended.
 *
 * @throws ERR_NATS_CACHE if other users could change the files; the error of the file system if the
 * folder cannot be created.
 */
export async function openCacheFolder(folder: string): Promise<void> {
  await mkdir(dirname(folder), { recursive: true, mode: 0o700 });
  await mkdir(folder, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  await checkFolder(folder);
  for (const name of await readdir(folder)) if (name.endsWith('.tmp')) await removeAbandoned(join(folder, name));
}

async function checkFolder(folder: string): Promise<void> {
  const refuse = (expected: string, received: string) =>
    natsError('ERR_NATS_CACHE', { expected, received, at: folder });
  // not stat, because a link could lead to a folder of another user
  const status = await lstat(folder);
  if (!status.isDirectory()) throw refuse('a folder', status.isSymbolicLink() ? 'a symbolic link' : 'a file');
  const user = process.getuid?.();
  if (user === undefined) return; // on Windows, the folder inherits the permissions of the profile
  if (status.uid !== user) throw refuse(`a folder of user ${user}`, `a folder of user ${status.uid}`);
  if ((status.mode & OTHERS) !== 0) throw refuse('mode 0700', `mode 0${(status.mode & 0o777).toString(8)}`);
}

async function removeAbandoned(path: string): Promise<void> {
  const status = await lstat(path).catch(() => undefined);
  if (status !== undefined && Date.now() - status.mtimeMs > ABANDONED_MS) await rm(path, { force: true });
}
