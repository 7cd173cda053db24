import { closeSync, constants, fstatSync, openSync, readSync, realpathSync, statSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, sep } from 'node:path';
import { modelFault } from './fault.js';

/** A regular file that is open for reading, and its size now. */
export interface OpenFile {
  readonly name: string;
  readonly descriptor: number;
  readonly bytes: number;
}

/** The file `model.json` that a path means: itself, or the one in the folder. */
export function modelJsonAt(path: string): string {
  const status = statSync(path, { throwIfNoEntry: false });
  if (status === undefined) throw modelFault('a file or folder', 'no such path', path);
  return status.isDirectory() ? join(path, 'model.json') : path;
}

/**
 * Opens a file that a model names, beside it or under its folder: absolute names, `..`, links that lead out, pipes and devices are refused.
 */
export function openBeside(modelJson: string, name: string): OpenFile {
  const at = `weights "${name}"`;
  if (name === '' || isAbsolute(name) || name.includes('\0') || /^[a-z][a-z+.-]*:/i.test(name))
    throw modelFault('a file beside model.json', 'a name that is not relative', at);
  if (name.split(/[\\/]/).includes('..'))
    throw modelFault('a file beside model.json', 'a name that leaves the folder of the model', at);
  const folder = realpathSync(dirname(modelJson));
  const path = resolved(join(folder, name), at);
  const inside = relative(folder, path);
  if (inside === '..' || inside.startsWith(`..${sep}`) || isAbsolute(inside))
    throw modelFault('a file beside model.json', 'a link that leaves the folder of the model', at);
  return openRegular(path, at);
}

/** A pipe or a device could keep us waiting for ever, so the file is not followed further and asked what it is. */
export function openRegular(path: string, name: string): OpenFile {
  let descriptor: number;
  try {
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (cause) {
    throw modelFault('a file that can be read', 'none', name, cause);
  }
  const status = fstatSync(descriptor);
  if (status.isFile()) return { name, descriptor, bytes: status.size };
  closeSync(descriptor);
  throw modelFault('a regular file', 'something else', name);
}

/** Reads as many bytes as the file had when it was opened. */
export function readInto(target: Uint8Array, { descriptor, name }: OpenFile): void {
  let done = 0;
  while (done < target.length) {
    const count = readSync(descriptor, target, done, target.length - done, done);
    if (count === 0) throw modelFault(`${target.length} bytes`, `${done}: the file was cut off meanwhile`, name);
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
    throw modelFault('a file beside model.json', 'no such file', at, cause);
  }
}
