import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/**
 * Packages with the API of TensorFlow.js, fastest first. `BackendOptions.providers` uses these
 * names.
 */
export const tfjsProviders = ['tfjs-node-gpu', 'tfjs-node', 'tfjs'] as const;

export type TfjsProvider = (typeof tfjsProviders)[number];

/** Returns the name of a provider's npm package. */
export const packageOf = (provider: TfjsProvider): string => `@tensorflow/${provider}`;

export const isProvider = (name: string): name is TfjsProvider => (tfjsProviders as readonly string[]).includes(name);

/**
 * Returns the file that Node would load for a provider, without loading it. Searches from `folder`
 * if it is set, otherwise from this package and then from the working directory. Returns undefined
 * if the package is not installed.
 */
export function installedAt(provider: TfjsProvider, folder: string | undefined): string | undefined {
  const locations = folder === undefined ? [import.meta.url, seenFrom(process.cwd())] : [seenFrom(folder)];
  for (const location of locations) {
    try {
      return createRequire(location).resolve(packageOf(provider));
    } catch {} // not found here, so try the next folder
  }
  return undefined;
}

const seenFrom = (folder: string) => pathToFileURL(join(folder, 'package.json')).href;
