import { statSync, unlinkSync } from 'node:fs';
import type { SnapshotLinks } from '@brezel/object-store';

/**
 * Removes this process's link to a snapshot. Also removes the shared link if no other process has a
 * link. A removed file stays readable for processes that have mapped it. For a mapped snapshot, the
 * addon removes these links when the mapping ends (`SnapshotNames`).
 */
export function removeLinks(links: SnapshotLinks | undefined): void {
  if (links === undefined) return;
  removeFile(links.own);
  removeIfUnused(links.shared);
}

/** Removes a shared link if it is the only link to its file. */
export function removeIfUnused(shared: string): void {
  if (statSync(shared, { throwIfNoEntry: false })?.nlink === 1) removeFile(shared);
}

/**
 * Removes a file and ignores errors, because another process may have removed it. If the file
 * remains, it does no harm except that it takes disk space.
 */
export function removeFile(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // the next cleanup of the folder tries again
  }
}
