import { afterEach, expect, test, vi } from 'vitest';

/** TypeScript declares this object only for browsers. */
const { WebAssembly: wasm } = globalThis as unknown as {
  WebAssembly: { instantiate(bytes: Uint8Array): Promise<unknown> };
};

afterEach(() => {
  vi.restoreAllMocks();
  vi.resetModules();
});

test('a failed compilation is tried again, and a thread compiles the module once', async () => {
  vi.resetModules(); // the module of this thread may be compiled already
  const { Checksum } = await import('./checksum.js');
  const instantiate = vi.spyOn(wasm, 'instantiate');
  instantiate.mockRejectedValueOnce(new RangeError('out of memory'));
  await expect(Checksum.create()).rejects.toThrow('out of memory');
  const [one, two] = await Promise.all([Checksum.create(), Checksum.create()]);
  const three = await Checksum.create();
  expect(instantiate).toHaveBeenCalledTimes(2); // the failed compilation, and one module
  expect(one).toBe(two);
  expect(three.ofText('brezel')).toBe(one.ofText('brezel'));
});
