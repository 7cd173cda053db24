import { modelError } from './model-error.js';

/**
 * The description of one weight in the manifest. The library also reads its other fields, such as
 * the scale of a quantization, so they stay unchanged.
 */
export interface WeightSpec {
  readonly name: string;
  readonly shape: readonly number[];
  readonly dtype: string;
}

/** A group of files, which contain several weights one after another. */
export interface WeightGroup {
  readonly paths: readonly string[];
  readonly weights: readonly WeightSpec[];
  /** Bytes of the weights, computed from their shapes and types. */
  readonly bytes: number;
}

const BYTES: Readonly<Record<string, number>> = { float32: 4, int32: 4, bool: 1, complex64: 8 };
const QUANTIZED_BYTES: Readonly<Record<string, number>> = { uint8: 1, uint16: 2, float16: 2 };

/**
 * Reads and checks the field `weightsManifest` of model.json: which files contain which weights.
 * Opens no file, and allocates no memory for declared sizes.
 */
export function readManifest(manifest: unknown, maxBytes: number): WeightGroup[] {
  const groups = list(manifest, 'weightsManifest').map((group, index) =>
    readGroup(group, `weightsManifest[${index}]`, maxBytes),
  );
  const total = groups.reduce((sum, { bytes }) => sum + bytes, 0);
  if (total > maxBytes) throw modelError(`weights of at most ${maxBytes} bytes`, `${total} bytes`, 'weightsManifest');
  return groups;
}

function readGroup(group: unknown, at: string, maxBytes: number): WeightGroup {
  const { paths, weights } = record(group, at);
  const names = list(paths, `${at}.paths`).map((path, index) => text(path, `${at}.paths[${index}]`));
  const specs = list(weights, `${at}.weights`).map((weight, index) => readWeight(weight, `${at}.weights[${index}]`));
  const bytes = specs.reduce((sum, spec) => sum + spec.bytes, 0);
  if (bytes > maxBytes) throw modelError(`weights of at most ${maxBytes} bytes`, `${bytes} bytes`, at);
  return { paths: names, weights: specs.map(({ spec }) => spec), bytes };
}

function readWeight(weight: unknown, at: string): { spec: WeightSpec; bytes: number } {
  const spec = record(weight, at);
  const name = text(spec.name, `${at}.name`);
  const location = `weight "${name}"`;
  const dtype = text(spec.dtype, location);
  const shape = list(spec.shape, location).map((size) => sizeOf(size, location));
  const bytes = shape.reduce((product, size) => product * size, widthOf(spec, dtype, location));
  return { spec: { ...spec, name, dtype, shape }, bytes };
}

function widthOf(spec: Readonly<Record<string, unknown>>, dtype: string, at: string): number {
  const isQuantized = spec.quantization !== undefined;
  const table = isQuantized ? QUANTIZED_BYTES : BYTES;
  const type = isQuantized ? text(record(spec.quantization, at).dtype, at) : dtype;
  if (Object.hasOwn(BYTES, dtype) && Object.hasOwn(table, type)) return table[type]!;
  throw modelError(`weights of ${Object.keys(table).join(', ')}`, Object.hasOwn(BYTES, dtype) ? type : dtype, at);
}

function sizeOf(size: unknown, at: string): number {
  if (Number.isSafeInteger(size) && (size as number) >= 0) return size as number;
  throw modelError('sizes', JSON.stringify(size) ?? 'nothing', at);
}

function list(value: unknown, at: string): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw modelError('a list', kindOf(value), at);
}

export function record(value: unknown, at: string): Readonly<Record<string, unknown>> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw modelError('an object', kindOf(value), at);
}

function text(value: unknown, at: string): string {
  if (typeof value === 'string') return value;
  throw modelError('a text', kindOf(value), at);
}

const kindOf = (value: unknown) => (value === null ? 'null' : Array.isArray(value) ? 'a list' : typeof value);
