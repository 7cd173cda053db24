import { closeSync, constants } from 'node:fs';
import { chmod, copyFile, link, lstat, open, rename } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { BrezelError, type Clock } from '@brezel/core';
import type { SnapshotLinks } from '@brezel/object-store';
import { type Content, fileContent, memoryContent } from '../content.js';
import { fleetFileError } from '../errors.js';
import { checkUnchanged, type OpenFile, openFile } from '../open-file.js';
import { readExactly } from '../read-bytes.js';
import { reasonOf } from '../system-errors.js';
import { cacheFolder, sharedPath } from './cache-folder.js';
import { removeFile, removeLinks } from './links.js';
import { ownedName } from './owner.js';
import { sha256Of } from './sha256.js';

/**
 * Files with fewer bytes are read into memory, because a copy on disk would take longer.
 */
const SMALLEST_COPY = 1 << 20;
/**
 * The number of attempts to copy a file that changes. `FIRST_WAIT_MS` is the wait after the first
 * attempt. The wait doubles after each further attempt.
 */
const ATTEMPTS = 5;
const FIRST_WAIT_MS = 50;

/**
 * Returns the content of a file at one moment. Programs that later replace or truncate the file
 * cannot change this content.
 *
 * A file below 1 MiB is read into memory. A larger file is copied to the user's cache folder; if
 * the file system can clone files, no bytes are copied. All processes of a user share the copy.
 *
 * Cost: SHA-256 of the file. On a file system that cannot clone, the first process computes it
 * twice.
 *
 * @param check a cheap check of the file that runs before the file is copied.
 * @throws ERR_FLEET_CHANGED when the file changed during each of five attempts; ERR_FLEET_SNAPSHOT
 * when the copy cannot be written.
 */
export async function takeSnapshot(path: string, clock: Clock, check: (content: Content) => void): Promise<Content> {
  for (let attempt = 1, waitMs = FIRST_WAIT_MS; ; attempt++, waitMs *= 2) {
    try {
      return await attemptSnapshot(path, check);
    } catch (error) {
      if (attempt === ATTEMPTS || !(error instanceof BrezelError) || error.code !== 'ERR_FLEET_CHANGED') throw error;
      await new Promise<void>((resolve) => clock.setTimeout(resolve, waitMs));
    }
  }
}

async function attemptSnapshot(path: string, check: (content: Content) => void): Promise<Content> {
  const file = openFile(path);
  try {
    const size = Number(file.status.size);
    if (size < SMALLEST_COPY) {
      const bytes = readExactly(file.descriptor, 0, size, path);
      await checkUnchanged(file, path);
      return memoryContent(bytes, path);
    }
    check({ ...fileContent(file.descriptor, size, path), close: () => undefined });
    return openCopy(await copyToCache(file, path), size, path);
  } catch (error) {
    // A shortened file looks damaged, and a file that is being replaced may be missing. In both
    // cases the change is reported instead.
    await checkUnchanged(file, path);
    throw error;
  } finally {
    closeSync(file.descriptor);
  }
}

/**
 * Copies a file to the cache folder, unless the folder already holds an equal copy. Creates a link
 * to the copy for this process, and returns the paths of this link and of the shared link.
 */
async function copyToCache(file: OpenFile, path: string): Promise<SnapshotLinks> {
  let folder = 'the cache folder';
  let temporary: string | undefined;
  try {
    folder = await cacheFolder();
    temporary = join(folder, ownedName('tmp'));
    const isCloned = await clone(path, temporary);
    const digest = isCloned ? await digestOfCopy(temporary) : await sha256Of(file.descriptor);
    const shared = sharedPath(folder, digest);
    const own = join(folder, ownedName(basename(shared)));
    if (await linkExisting(shared, own, Number(file.status.size))) {
      await checkUnchanged(file, path);
      return { own, shared };
    }
    if (!isCloned) {
      await copyFile(path, temporary);
      if ((await digestOfCopy(temporary)) !== digest)
        throw fleetFileError('ERR_FLEET_CHANGED', { received: 'other bytes when it was read again', at: path });
    }
    await checkUnchanged(file, path);
    await publish(temporary, { own, shared });
    return { own, shared };
  } catch (cause) {
    if (cause instanceof BrezelError) throw cause;
    throw fleetFileError('ERR_FLEET_SNAPSHOT', { received: reasonOf(cause), at: `${path}, copy in ${folder}`, cause });
  } finally {
    if (temporary !== undefined) removeFile(temporary);
  }
}

function openCopy(links: SnapshotLinks, size: number, path: string): Content {
  try {
    return fileContent(openFile(links.own).descriptor, size, path, links);
  } catch (cause) {
    removeLinks(links);
    throw fleetFileError('ERR_FLEET_SNAPSHOT', { received: reasonOf(cause), at: links.own, cause });
  }
}

/**
 * Clones a file if the file system supports it. Returns whether it did. A clone shares the blocks
 * of the file until a program writes to one of them.
 */
async function clone(from: string, to: string): Promise<boolean> {
  try {
    await copyFile(from, to, constants.COPYFILE_FICLONE_FORCE);
    return true;
  } catch {
    removeFile(to);
    return false;
  }
}

/**
 * Creates a link to an existing snapshot. Returns false if the snapshot does not exist, or if it is
 * not a file of `size` bytes. Such a file was changed, and `publish` replaces it.
 */
export async function linkExisting(shared: string, own: string, size: number): Promise<boolean> {
  try {
    await link(shared, own);
    const status = await lstat(own);
    if (status.isFile() && status.size === size) return true;
    removeFile(own);
    return false;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT' || isUnlinkable(error)) return false;
    throw error;
  }
}

/**
 * Makes a copy read-only, flushes it to disk, and links it under the name of this process and then
 * under the shared name. In the other order, another process could remove the shared name, because
 * it would be the only link and count as unused.
 */
export async function publish(temporary: string, { own, shared }: SnapshotLinks): Promise<void> {
  const copy = await open(temporary, 'r+');
  try {
    await copy.sync();
    await copy.chmod(0o400);
  } finally {
    await copy.close();
  }
  try {
    await link(temporary, own);
  } catch (error) {
    if (!isUnlinkable(error)) throw error;
    await rename(temporary, own); // without hard links, this process uses the copy alone
    return;
  }
  await rename(temporary, shared);
}

/**
 * Returns whether an error means that the file system does not support hard links, or that the file
 * already has the largest number of links.
 */
function isUnlinkable(error: unknown): boolean {
  const codes: readonly unknown[] = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'];
  return codes.includes((error as NodeJS.ErrnoException).code);
}

export async function digestOfCopy(path: string): Promise<string> {
  await chmod(path, 0o600); // writable, because a copy has the permissions of the original
  const { descriptor } = openFile(path);
  try {
    return await sha256Of(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
