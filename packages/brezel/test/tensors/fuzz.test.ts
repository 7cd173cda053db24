import { test } from 'vitest';
import { seed } from '../conformance/seed.js';
import { fuzzTensors } from './fuzz-tensors.js';

test('mutated graphs of our tensor programs', () => fuzzTensors('own', 'graphs', 1500, seed));
test('mutated bytes of our tensor programs', () => fuzzTensors('own', 'bytes', 1000, seed));
test('mutated graphs of conformance cases', () => fuzzTensors('cases', 'graphs', 1500, seed));
test('mutated bytes of conformance cases', () => fuzzTensors('cases', 'bytes', 1000, seed));
