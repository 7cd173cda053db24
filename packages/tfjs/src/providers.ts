import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** Packages that speak TensorFlow.js' API, the fastest first; also the names in `BackendOptions.providers`. */
export const tfjsProviders = ['tfjs-node-gpu', 'tfjs-node', 'tfjs'] as const;

export type TfjsProvider = (typeof tfjsProviders)[number];

/** The npm package of a provider. */
export const packageOf = (provider: TfjsProvider): string => `@tensorflow/${provider}`;

export const isProvider = (name: string): name is TfjsProvider => (tfjsProviders as readonly string[]).includes(name);

/**
 * The file that Node would load for a provider, without loading it: seen from `folder` where one is given, else from this package and then from
 * the working directory. Undefined where it is not installed.
 */
export function installedAt(provider: TfjsProvider, folder: string | undefined): string | undefined {
  const places = folder === undefined ? [import.meta.url, seenFrom(process.cwd())] : [seenFrom(folder)];
  for (const place of places) {
    try {
      return createRequire(place).resolve(packageOf(provider));
    } catch {} // not there: the next place
  }
  return undefined;
}

const seenFrom = (folder: string) => pathToFileURL(join(folder, 'package.json')).href;
