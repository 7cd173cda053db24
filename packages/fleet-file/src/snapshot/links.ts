import { statSync, unlinkSync } from 'node:fs';
import type { SnapshotLinks } from '@brezel/object-store';

/**
 * Removes the own link to a snapshot, and the shared link if no other user has a link. Mappings of
 * removed files stay valid. The addon does the same at the end of a mapping (`SnapshotNames`).
 */
export function removeLinks(links: SnapshotLinks | undefined): void {
  if (links === undefined) return;
  removeFile(links.own);
  removeIfUnused(links.shared);
}

/** Removes a shared link that is the only link to its file. */
export function removeIfUnused(shared: string): void {
  if (statSync(shared, { throwIfNoEntry: false })?.nlink === 1) removeFile(shared);
}

/** Removes a file. Another process may have removed it, and a failure only costs disk space. */
export function removeFile(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // the next sweep of the folder tries again
  }
}
