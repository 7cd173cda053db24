import { closeSync, constants, fstatSync, openSync, readFileSync, realpathSync } from 'node:fs';
import { isAbsolute, join, relative, sep } from 'node:path';
import { onnxError } from './errors.js';
import type { ExternalData } from './external-data.js';
import { defaultImportLimits } from './limits.js';

/**
 * Returns a function that reads external data only from a model's folder and its subfolders. The
 * function rejects absolute names, and `..` or symbolic links that lead out of the folder. If a
 * model uses several names for one file, the function returns the same bytes for all names.
 *
 * @throws ERR_ONNX_TENSOR with the name of the file.
 * @example importTensors(readFileSync('models/big.onnx'), { externalData: externalDataIn('models') })
 */
export function externalDataIn(folder: string): ExternalData {
  const files = new Map<string, WeakRef<Uint8Array>>();
  return (location) => {
    if (isAbsolute(location) || location.includes('\0') || /^[a-z]:/i.test(location))
      throw refusal(location, 'a name that is not relative');
    if (location.split(/[\\/]/).includes('..')) throw refusal(location, 'a name that leaves the folder of the model');
    const path = resolved(folder, location);
    const inside = relative(realpathSync(folder), path);
    if (inside === '..' || inside.startsWith(`..${sep}`) || isAbsolute(inside))
      throw refusal(location, 'a link that leaves the folder of the model');
    return readRegularFile(path, location, files);
  };
}

function resolved(folder: string, location: string): string {
  try {
    return realpathSync(join(folder, location));
  } catch (cause) {
    throw refusal(location, 'no such file', cause);
  }
}

/**
 * Reads a regular file. Rejects symbolic links, because the caller has resolved them, and pipes and
 * devices, because reading them could wait forever.
 *
 * @param files the files that were read before and whose bytes are still in use. They are not read
 * again, so a model cannot fill the memory by naming one file a thousand times (`w`, `./w`, hard
 * links).
 */
function readRegularFile(path: string, location: string, files: Map<string, WeakRef<Uint8Array>>): Uint8Array {
  const file = open(path, location);
  try {
    const status = fstatSync(file, { bigint: true });
    if (!status.isFile()) throw refusal(location, 'no regular file');
    if (status.size > defaultImportLimits.fileBytes) throw refusal(location, `${status.size} bytes, more than 2 GiB`);
    const key = `${status.dev}:${status.ino}:${status.size}:${status.mtimeNs}:${status.ctimeNs}`;
    const known = files.get(key)?.deref();
    if (known !== undefined) return known;
    const bytes = readFileSync(file);
    files.set(key, new WeakRef(bytes));
    return bytes;
  } finally {
    closeSync(file);
  }
}

function open(path: string, location: string): number {
  try {
    return openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
  } catch (cause) {
    throw refusal(location, 'a file that cannot be opened', cause);
  }
}

const refusal = (location: string, received: string, cause?: unknown) =>
  onnxError('ERR_ONNX_TENSOR', {
    expected: 'a file beside the model',
    received,
    at: `external data "${location}"`,
    hint: 'the file with the weights belongs into the folder of the model, under the name that the model gives it',
    cause,
  });
