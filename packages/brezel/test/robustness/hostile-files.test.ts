import { test } from 'vitest';
import { seed } from '../conformance/seed.js';
import { fuzzImport } from './fuzz-import.js';

test('mutated bytes of small models', () => fuzzImport('small', 'bytes', 2000, seed));
test('mutated graphs of small models', () => fuzzImport('small', 'graphs', 5000, seed));
test('mutated bytes of example models', () => fuzzImport('large', 'bytes', 40, seed));
test('mutated graphs of example models', () => fuzzImport('large', 'graphs', 60, seed));
