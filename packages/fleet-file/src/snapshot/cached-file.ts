import { existsSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { BrezelError } from '@brezel/core';
import { fleetFileError } from '../errors.js';
import { reasonOf } from '../system-errors.js';
import { cacheFolder, sharedPath } from './cache-folder.js';
import { removeFile, removeLinks } from './links.js';
import { ownedName } from './owner.js';
import { digestOfCopy, linkExisting, publish } from './snapshot.js';

/** A file in the cache folder of the user. No process removes it while this process uses it. */
export interface CachedFile {
  readonly path: string;
  /** Ends the use of the file by this process. Removes the file if no other process uses it. */
  close(): void;
}

/**
 * Creates a file in the cache folder, next to the snapshots. The file is read-only, and its name is
 * its SHA-256. Equal files are one file for all processes of the user.
 *
 * @param write writes the file at the path that it receives.
 * @throws ERR_FLEET_SNAPSHOT when the folder cannot be used; the errors of `write`.
 */
export async function writeCachedFile(write: (path: string) => Promise<unknown>): Promise<CachedFile> {
  let folder = 'the cache folder';
  let temporary: string | undefined;
  try {
    folder = await cacheFolder();
    temporary = join(folder, ownedName('tmp'));
    await write(temporary);
    const shared = sharedPath(folder, await digestOfCopy(temporary));
    const links = { own: join(folder, ownedName(basename(shared))), shared };
    const { size } = statSync(temporary);
    if (!(await linkExisting(shared, links.own, size))) await publish(temporary, links);
    // A file system without hard links has no shared name.
    return { path: existsSync(shared) ? shared : links.own, close: () => removeLinks(links) };
  } catch (cause) {
    if (cause instanceof BrezelError) throw cause;
    throw fleetFileError('ERR_FLEET_SNAPSHOT', { received: reasonOf(cause), at: folder, cause });
  } finally {
    if (temporary !== undefined) removeFile(temporary);
  }
}
