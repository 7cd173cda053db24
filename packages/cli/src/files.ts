import { randomBytes } from 'node:crypto';
import type { Stats } from 'node:fs';
import { open, readFile, rename, rm, stat } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { cliError } from './errors.js';
import { streams } from './streams.js';

/** The path for standard input or standard output. */
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
    await checkedStat(path);
    return await readFile(path);
  } catch (cause) {
    throw fileFault(cause, path);
  }
}

/**
 * Checks that a path is a file or a named pipe, because a device could return bytes without end.
 */
async function checkedStat(path: string): Promise<Stats> {
  const kind = await stat(path);
  if (kind.isDirectory()) throw cliError('ERR_CLI_FILE', { expected: 'a file', received: 'a directory', at: path });
  if (kind.isFile() || kind.isFIFO()) return kind;
  throw cliError('ERR_CLI_FILE', { expected: 'a file', received: 'a device', at: path });
}

/**
 * Opens a file, a named pipe or standard input (`-`), and returns its content as pieces of bytes.
 * `bytes` is the size of a file, and undefined for a pipe or standard input.
 */
export async function readPieces(path: string): Promise<{ source: AsyncIterable<Uint8Array>; bytes?: number }> {
  if (path === STANDARD_STREAM) return { source: standardInput() };
  try {
    const kind = await checkedStat(path);
    const file = await open(path);
    const source = file.createReadStream();
    return kind.isFile() ? { source, bytes: kind.size } : { source };
  } catch (cause) {
    throw fileFault(cause, path);
  }
}

async function* standardInput(): AsyncGenerator<Uint8Array> {
  for await (const piece of streams().stdin) yield typeof piece === 'string' ? Buffer.from(piece) : piece;
}

/** An open file or standard output, to which a command writes a text in pieces. */
export interface TextOutput {
  /** Writes a piece. Resolves when the next piece may be written. */
  write(text: string): Promise<void>;
  /** Ends the text. For a file, renames the temporary file, so that the file has the new text. */
  end(): Promise<void>;
  /** Deletes the temporary file, so that an existing file stays unchanged. */
  abort(): Promise<void>;
}

/**
 * Opens a file to write a text in pieces. The pieces go to a temporary file, and `end` renames it,
 * so that no reader sees a part of the text. With `-`, each piece goes to standard output
 * immediately.
 *
 * @throws ERR_CLI_FILE on failure; an existing file stays unchanged.
 */
export async function openText(path: string): Promise<TextOutput> {
  if (path === STANDARD_STREAM)
    return { write: writeStandardOutput, end: async () => undefined, abort: async () => undefined };
  const temporary = `${path}.${randomBytes(6).toString('hex')}.tmp`;
  const guarded = async (work: () => Promise<void>) => {
    try {
      await work();
    } catch (cause) {
      await rm(temporary, { force: true });
      throw fileFault(cause, path);
    }
  };
  const file = await open(temporary, 'wx').catch((cause) => Promise.reject(fileFault(cause, path)));
  return {
    write: (text) =>
      guarded(async () => {
        await file.writeFile(text);
      }),
    end: () =>
      guarded(async () => {
        await file.sync().finally(() => file.close());
        await rename(temporary, path);
      }),
    abort: async () => {
      await file.close().catch(() => undefined);
      await rm(temporary, { force: true });
    },
  };
}

/**
 * Writes a whole text to a file. `-` is standard output.
 *
 * @throws ERR_CLI_FILE on failure; an existing file stays unchanged.
 */
export async function writeText(path: string, text: string): Promise<void> {
  const output = await openText(path);
  try {
    await output.write(text);
  } catch (cause) {
    await output.abort();
    throw cause;
  }
  await output.end();
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
