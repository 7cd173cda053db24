import { randomBytes } from 'node:crypto';
import { open, readFile, rename, rm, stat } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { cliError } from './errors.js';
import { streams } from './streams.js';

/** This path means standard input or standard output. */
export const STANDARD_STREAM = '-';

/**
 * Checks that at most one path is standard input, which can be read only once.
 * @throws ERR_CLI_USAGE if two paths are standard input.
 */
export function onlyOneStandardInput(paths: readonly (string | undefined)[]): void {
  const times = paths.filter((path) => path === STANDARD_STREAM).length;
  if (times < 2) return;
  throw cliError('ERR_CLI_USAGE', {
    received: `standard input ${times} times`,
    hint: 'pass file names for all others',
  });
}

/**
 * Reads all bytes of a file, a named pipe, or standard input (`-`).
 *
 * @throws ERR_CLI_FILE for a missing file, a directory, or a file that cannot be read.
 */
export async function readBytes(path: string): Promise<Buffer> {
  if (path === STANDARD_STREAM) return buffer(streams().stdin);
  try {
    const kind = await stat(path);
    if (kind.isDirectory()) throw cliError('ERR_CLI_FILE', { expected: 'a file', received: 'a directory', at: path });
    if (!kind.isFile() && !kind.isFIFO())
      throw cliError('ERR_CLI_FILE', { expected: 'a file', received: 'a device', at: path });
    return await readFile(path);
  } catch (cause) {
    throw fileFault(cause, path);
  }
}

/**
 * Writes a text to a file, completely or not at all: it writes a temporary file and renames it. `-`
 * is standard output.
 *
 * @throws ERR_CLI_FILE on failure; an existing file stays unchanged.
 */
export async function writeText(path: string, text: string): Promise<void> {
  if (path === STANDARD_STREAM) return writeStandardOutput(text);
  const temporary = `${path}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    const file = await open(temporary, 'wx');
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (cause) {
    await rm(temporary, { force: true });
    throw fileFault(cause, path);
  }
}

/**
 * Writes a text to standard output, and waits until the text has left the process. It is not an
 * error if the reader closes the pipe early.
 */
export function writeStandardOutput(text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    streams().stdout.write(text, (cause) => {
      if (!cause || (cause as NodeJS.ErrnoException).code === 'EPIPE') resolve();
      else reject(fileFault(cause, 'standard output'));
    });
  });
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'file or folder not found',
  EISDIR: 'it is a directory',
  ENOTDIR: 'a part of the path is not a folder',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
};

function fileFault(cause: unknown, at: string): unknown {
  const { code, message } = cause as { code?: string; message?: string };
  if (code === undefined || code.startsWith('ERR_CLI')) return cause;
  return cliError('ERR_CLI_FILE', { received: reasons[code] ?? message ?? code, at, cause });
}
