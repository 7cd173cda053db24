import { BrezelError } from '@brezel/core';
import { storeError } from '@brezel/object-store';

/** Converts an error of the operating system to ERR_STORE_FILE. Returns other errors unchanged. */
export function toFileError(cause: unknown, at: string): unknown {
  const { code } = cause as { code?: string };
  if (code === undefined || cause instanceof BrezelError) return cause;
  return storeError('ERR_STORE_FILE', { received: reasonOf(cause), at, cause });
}

/** Describes an error of the operating system in plain words, for an error message. */
export function reasonOf(cause: unknown): string {
  const { code, message } = cause as { code?: string; message?: string };
  return reasons[code ?? ''] ?? message ?? code ?? String(cause);
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'no such file or folder',
  EISDIR: 'it is a folder',
  ENOTDIR: 'a part of the path is not a folder',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  ENXIO: 'it is no regular file',
};
