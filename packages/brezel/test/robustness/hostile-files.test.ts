import { test } from 'vitest';
import { seed } from '../conformance/seed.js';
import { fuzzImport } from './fuzz-import.js';

test('mutated bytes of small models', () => fuzzImport('small', 'bytes', 2000, seed));
test('mutated graphs of small models', () => fuzzImport('small', 'graphs', 2000, seed));
test('mutated bytes of example models', () => fuzzImport('large', 'bytes', 20, seed));
test('mutated graphs of example models', () => fuzzImport('large', 'graphs', 20, seed));
