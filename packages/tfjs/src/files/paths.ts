import { closeSync, constants, fstatSync, openSync, readSync, realpathSync, statSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, sep } from 'node:path';
import { modelError } from './model-error.js';

/** A regular file that is open for reading, with its current size. */
export interface OpenFile {
  readonly name: string;
  readonly descriptor: number;
  readonly bytes: number;
}

/** Returns the path of `model.json`: `path` itself, or the file in the folder `path`. */
export function modelJsonAt(path: string): string {
  const status = statSync(path, { throwIfNoEntry: false });
  if (status === undefined) throw modelError('a file or folder', 'no such path', path);
  return status.isDirectory() ? join(path, 'model.json') : path;
}

/**
 * Opens a file to which a model refers, in the model's folder or a subfolder. Rejects absolute
 * names, `..`, links that lead out of the folder, pipes and devices.
 */
export function openBeside(modelJson: string, name: string): OpenFile {
  const at = `weights "${name}"`;
  if (name === '' || isAbsolute(name) || name.includes('\0') || /^[a-z][a-z+.-]*:/i.test(name))
    throw modelError('a file beside model.json', 'a name that is not a relative path', at);
  if (name.split(/[\\/]/).includes('..'))
    throw modelError('a file beside model.json', 'a path outside the folder of the model', at);
  const folder = realpathSync(dirname(modelJson));
  const path = resolved(join(folder, name), at);
  const inside = relative(folder, path);
  if (inside === '..' || inside.startsWith(`..${sep}`) || isAbsolute(inside))
    throw modelError('a file beside model.json', 'a link out of the folder of the model', at);
  return openRegular(path, at);
}

/**
 * Opens a regular file. Opening a pipe or a device could block forever, so this function opens
 * without blocking and rejects everything else than a regular file.
 */
export function openRegular(path: string, name: string): OpenFile {
  let descriptor: number;
  try {
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (cause) {
    throw modelError('a readable file', 'an unreadable path', name, cause);
  }
  const status = fstatSync(descriptor);
  if (status.isFile()) return { name, descriptor, bytes: status.size };
  closeSync(descriptor);
  throw modelError('a regular file', 'something else', name);
}

/** Reads the file up to the size that it had when it was opened. */
export function readInto(target: Uint8Array, { descriptor, name }: OpenFile): void {
  let done = 0;
  while (done < target.length) {
    const count = readSync(descriptor, target, done, target.length - done, done);
    if (count === 0) throw modelError(`${target.length} bytes`, `${done}: the file was cut off meanwhile`, name);
    done += count;
  }
}

export function closeAll(files: readonly OpenFile[]): void {
  for (const { descriptor } of files) closeSync(descriptor);
}

function resolved(path: string, at: string): string {
  try {
    return realpathSync(path);
  } catch (cause) {
    throw modelError('a file beside model.json', 'a missing file', at, cause);
  }
}
