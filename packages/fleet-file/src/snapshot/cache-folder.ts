import { lstat, mkdir, readdir, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { fleetFileError } from '../errors.js';
import { removeFile, removeIfUnused } from './links.js';
import { isAbandoned } from './owner.js';

const OTHERS = 0o077;
const WRITABLE_BY_ALL = 0o002;
const STICKY = 0o1000;

/** Returns the path of the cache folder: `$XDG_CACHE_HOME/brezel`, or `~/.cache/brezel`. */
function cachePath(): string {
  const { XDG_CACHE_HOME: configured = '' } = process.env;
  return join(isAbsolute(configured) ? configured : join(homedir(), '.cache'), 'brezel');
}

/**
 * Returns the folder of this user's snapshots. It creates the folder if it is missing, and removes
 * files that no process uses.
 *
 * @throws ERR_FLEET_SNAPSHOT when other users could replace snapshots: the path is a symbolic link
 * or not a folder; the folder belongs to another user or is accessible to other users; or all users
 * can replace it in its parent folder. The error of the system if the folder cannot be created.
 */
export async function cacheFolder(): Promise<string> {
  const folder = cachePath();
  await mkdir(dirname(folder), { recursive: true, mode: 0o700 });
  await mkdir(folder, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  await checkFolder(folder);
  await removeUnused(folder);
  return folder;
}

async function checkFolder(folder: string): Promise<void> {
  const refuse = (expected: string, received: string, hint?: string) =>
    fleetFileError('ERR_FLEET_SNAPSHOT', { expected, received, at: folder, ...(hint !== undefined && { hint }) });
  // not stat, because a link could lead to a folder of another user
  const own = await lstat(folder);
  if (own.isSymbolicLink())
    throw refuse('a folder', 'a symbolic link', `set XDG_CACHE_HOME to ${folder}: Brezel creates a folder in it`);
  if (!own.isDirectory()) throw refuse('a folder', 'a file');
  const user = process.getuid?.();
  if (user === undefined) return; // on Windows, the folder inherits the permissions of the profile
  if (own.uid !== user) throw refuse(`a folder of user ${user}`, `a folder of user ${own.uid}`);
  if ((own.mode & OTHERS) !== 0)
    throw refuse('mode 0700', `mode 0${(own.mode & 0o777).toString(8)}`, `run: chmod 700 ${folder}`);
  const parent = await stat(dirname(folder));
  if ((parent.mode & WRITABLE_BY_ALL) !== 0 && (parent.mode & STICKY) === 0)
    throw refuse(
      'a parent folder that others cannot write to',
      'a parent folder that all users can write to',
      `set XDG_CACHE_HOME to ${join(dirname(folder), 'cache')}: Brezel creates the folder with mode 0700`,
    );
}

/** Removes files of ended processes, and then snapshots that no process uses. */
async function removeUnused(folder: string): Promise<void> {
  const names = await readdir(folder);
  const now = Date.now();
  for (const name of names) {
    const path = join(folder, name);
    const status = await lstat(path).catch(() => undefined);
    if (status?.isFile() && isAbandoned(name, status.mtimeMs, now)) removeFile(path);
  }
  for (const name of names) if (name.endsWith(SNAPSHOT)) removeIfUnused(join(folder, name));
}

/** The extension of the shared file name of a snapshot. */
const SNAPSHOT = '.brezel';

/** Returns the shared path under which all processes find a snapshot. */
export const sharedPath = (folder: string, sha256: string): string => join(folder, `${sha256}${SNAPSHOT}`);
