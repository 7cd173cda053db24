import { lstatSync, mkdirSync } from 'node:fs';
import { resolve } from 'node:path';

/** Mode bits that give the group or all users any access to a folder. */
const OTHERS = 0o077;

/**
 * The result of a check: the absolute path of a safe folder, or the reason why the folder is not
 * safe.
 */
export type CheckedFolder = { readonly path: string } | { readonly reason: string };

/**
 * Checks that only the current user has access to a folder, because V8 runs the code in its files.
 * Creates a missing folder with mode 0700.
 */
export function checkedFolder(folder: string): CheckedFolder {
  const path = resolve(folder);
  const user = process.geteuid?.();
  if (user === undefined) return { reason: 'the system does not report owners of files' };
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    const stats = lstatSync(path);
    const { uid, mode } = stats;
    if (stats.isSymbolicLink()) return { reason: `${path} is a symbolic link` };
    if (uid !== user) return { reason: `${path} belongs to user ${uid}, this process runs as user ${user}` };
    if ((mode & OTHERS) !== 0)
      return { reason: `${path} has mode ${(mode & 0o777).toString(8)}, expected 700: run chmod 700` };
    return { path };
  } catch (error) {
    return { reason: (error as Error).message };
  }
}
