// Finds the folder of the bundle. Bundlers replace `import.meta.url` and `__filename` in different
// ways, and webpack writes the path of the build machine. So this module reads the file that runs
// from a stack trace.
import { dirname, isAbsolute } from 'node:path';
import { fileURLToPath } from 'node:url';
import { workerData } from 'node:worker_threads';

/** Returns the file that contains this function, as a path or as a URL. */
function runningFile() {
  const { prepareStackTrace } = Error;
  Error.prepareStackTrace = (_, sites) => sites;
  try {
    return new Error().stack[0].getFileName() ?? '';
  } finally {
    Error.prepareStackTrace = prepareStackTrace;
  }
}

/** Returns the folder of the bundle, and the folder of the file that Node started. */
function foldersOfBundle() {
  const file = runningFile();
  const files = [file.startsWith('file:') ? fileURLToPath(file) : file, process.argv[1] ?? ''];
  return [...new Set(files.filter(isAbsolute).map((path) => dirname(path)))];
}

/**
 * The folders in which the bundle searches for packages. A worker thread of Brezel uses the folders
 * of the thread that started it.
 */
export const folders = workerData?.brezelFolders ?? foldersOfBundle();
