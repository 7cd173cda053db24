import { afterEach } from 'vitest';

/**
 * Returns a list for functions that end what a test has started. After each test of the file, the
 * functions run, the last one first.
 */
export function endAfterEach(): (() => unknown)[] {
  const ends: (() => unknown)[] = [];
  afterEach(async () => {
    for (const end of ends.splice(0).reverse()) await end();
  });
  return ends;
}
