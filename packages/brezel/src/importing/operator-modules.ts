import type { ErrorDetails } from '@brezel/core';
import { isBundled } from '../is-bundled.js';

/** URLs of ES modules that define custom operators. */
export type OperatorModules = readonly (string | URL)[];

/**
 * Checks the option `operatorModules`, and returns the URLs as strings.
 *
 * @param fail creates the error of the caller.
 * @throws the error of `fail`.
 */
export function checkedModules(
  modules: OperatorModules | undefined,
  fail: (details: ErrorDetails) => Error,
  at: string,
): readonly string[] {
  if (modules === undefined) return [];
  const expected = 'operatorModules, a list of URLs';
  const hint = "operatorModules: [new URL('./operators.js', import.meta.url)]";
  if (!Array.isArray(modules)) throw fail({ expected, received: typeof modules, at, hint });
  const urls = modules.map(String);
  const invalid = urls.find((url) => !URL.canParse(url));
  if (invalid !== undefined) throw fail({ expected, received: JSON.stringify(invalid), at, hint });
  if (isBundled)
    throw fail({
      expected: 'brezel from node_modules',
      received: 'operatorModules in a program that a bundler built',
      at,
      hint: 'leave brezel out of the bundle, as an external package',
    });
  return urls;
}
