import { murmur3 } from '@brezel/tensors';
import { expect, test } from 'vitest';

const bytes = (text: string) => new TextEncoder().encode(text);
const zeros = (count: number) => new Uint8Array(count);

test.each<[Uint8Array, number, number]>([
  [zeros(0), 0, 0],
  [zeros(0), 1, 0x514e28b7],
  [zeros(0), 0xffffffff, 0x81f16f39],
  [zeros(1), 0, 0x514e28b7],
  [zeros(2), 0, 0x30f4c306],
  [zeros(3), 0, 0x85f0b427],
  [zeros(4), 0, 0x2362f9de],
  [Uint8Array.of(0xff, 0xff, 0xff, 0xff), 0, 0x76293b50],
  [Uint8Array.of(0x21, 0x43, 0x65, 0x87), 0, 0xf55b516b],
  [Uint8Array.of(0x21, 0x43, 0x65, 0x87), 0x5082edee, 0x2362f9de],
  [Uint8Array.of(0x21, 0x43, 0x65), 0, 0x7e4a8634],
  [Uint8Array.of(0x21, 0x43), 0, 0xa0f7b07a],
  [Uint8Array.of(0x21), 0, 0x72661cf4],
  [bytes('a'), 0x9747b28c, 0x7fa09ea6],
  [bytes('aa'), 0x9747b28c, 0x5d211726],
  [bytes('aaa'), 0x9747b28c, 0x283e0130],
  [bytes('aaaa'), 0x9747b28c, 0x5a97808a],
  [bytes('abc'), 0x9747b28c, 0xc84a62dd],
  [bytes('Hello, world!'), 0x9747b28c, 0x24884cba],
  [bytes('ππππππππ'), 0x9747b28c, 0xd58063c1],
  [bytes('The quick brown fox jumps over the lazy dog'), 0x9747b28c, 0x2fa826cd],
])('%o with seed %d', (key, seed, expected) => {
  expect(murmur3(key, seed)).toBe(expected);
});

test("the author's verification value: a hash of the hashes of keys of every length", () => {
  const hashes = new DataView(new ArrayBuffer(1024));
  for (let length = 0; length < 256; length++) {
    const key = Uint8Array.from({ length }, (_, at) => at);
    hashes.setUint32(length * 4, murmur3(key, 256 - length), true);
  }
  expect(murmur3(new Uint8Array(hashes.buffer), 0)).toBe(0xb0f57ee3);
});
