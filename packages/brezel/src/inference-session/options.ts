import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { inspect } from 'node:util';
import { checkOptionNames, optionNames } from '@brezel/core';
import { declaredInputsOf, type ExternalData, externalDataIn, type InputShapes, readModel } from '@brezel/onnx';
import { runtimeError } from '@brezel/runtime';
import { isSize } from './tensor.js';
import type { RunOptions, SessionOptions } from './types.js';

const at = 'InferenceSession.create';

const sessionOptionNames = optionNames<SessionOptions>({
  executionProviders: true,
  freeDimensionOverrides: true,
  externalData: true,
  intraOpNumThreads: true,
  interOpNumThreads: true,
  graphOptimizationLevel: true,
  enableCpuMemArena: true,
  enableMemPattern: true,
  executionMode: true,
  logId: true,
  logSeverityLevel: true,
  logVerbosityLevel: true,
  extra: true,
  preferredOutputLocation: true,
  enableProfiling: true,
  enableGraphCapture: true,
  profileFilePrefix: true,
  optimizedModelFilePath: true,
});

/**
 * Options of onnxruntime that Brezel ignores. In onnxruntime, they change times and logs, not
 * answers.
 */
const ignored: ReadonlySet<string> = new Set<keyof SessionOptions>([
  'intraOpNumThreads',
  'interOpNumThreads',
  'graphOptimizationLevel',
  'enableCpuMemArena',
  'enableMemPattern',
  'executionMode',
  'logId',
  'logSeverityLevel',
  'logVerbosityLevel',
  'extra',
  'profileFilePrefix',
]);

/**
 * Options with values that `create` rejects, because ignoring them would change the result. Each
 * entry holds a function that returns whether a value is rejected, the expected value, and a hint.
 */
const rejected: Readonly<
  Partial<Record<keyof SessionOptions, readonly [(value: unknown) => boolean, string, string]>>
> = {
  executionProviders: [
    (list) => !Array.isArray(list) || (list.length > 0 && !providersOf(list).includes('cpu')),
    'a list with "cpu"',
    'Brezel runs on the CPU; to run dense stages on a GPU, use runtime.register(plan, { device })',
  ],
  preferredOutputLocation: [(value) => value !== 'cpu', '"cpu"', 'outputs are in the memory of JavaScript'],
  enableProfiling: [(value) => value !== false, 'false', 'measure with `brezel explain --analyze` or runtime.profile'],
  enableGraphCapture: [(value) => value !== false, 'false', 'leave the option out'],
  optimizedModelFilePath: [() => true, 'nothing', '`brezel pack` writes the compiled model to a fleet file'],
};

const providersOf = (list: readonly unknown[]): unknown[] =>
  list.map((one) => (typeof one === 'object' && one !== null && 'name' in one ? one.name : one));

/**
 * Checks the options of `create`. Warns once for the process if an option has no effect.
 *
 * @throws ERR_RUNTIME_OPTION for an unknown option, and for a value that Brezel does not support.
 */
export function checkSessionOptions(options: SessionOptions): void {
  checkOptionNames(options, sessionOptionNames, (details) => runtimeError('ERR_RUNTIME_OPTION', details), at);
  for (const [name, [isRejected, expected, hint]] of Object.entries(rejected)) {
    const value = options[name as keyof SessionOptions];
    if (value === undefined || !isRejected(value)) continue;
    const received = JSON.stringify(value) ?? typeof value;
    throw runtimeError('ERR_RUNTIME_OPTION', { expected: `${name}: ${expected}`, received, at, hint });
  }
  const others = providersOf(options.executionProviders ?? []).filter((name) => name !== 'cpu');
  const unused = Object.entries(options).flatMap(([name, value]) =>
    value !== undefined && ignored.has(name) ? [name] : [],
  );
  if (others.length > 0) unused.push(`executionProviders ${others.join(', ')}`);
  if (unused.length > 0) warnOfIgnored(unused);
}

let hasWarned = false;

function warnOfIgnored(names: readonly string[]): void {
  if (hasWarned) return;
  hasWarned = true;
  process.emitWarning(
    `Brezel ignores these options of InferenceSession.create: ${names.join(', ')}. They do not change answers. See docs/guides/from-onnxruntime.md.`,
    { type: 'BrezelWarning', code: 'BREZEL_SESSION_OPTION' },
  );
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isFile = (file: unknown): boolean =>
  typeof file === 'string' ||
  (isRecord(file) &&
    typeof file.path === 'string' &&
    (typeof file.data === 'string' || file.data instanceof Uint8Array));

const optionError = (expected: string, received: unknown) =>
  runtimeError('ERR_RUNTIME_OPTION', {
    expected,
    received: inspect(received, { depth: 2, maxArrayLength: 4, breakLength: Infinity }),
    at,
  });

/**
 * Returns a function that reads external weights: from the files in `externalData`, otherwise from
 * the folder of the model. Returns undefined if the caller passed neither.
 */
export function externalDataOf({ externalData }: SessionOptions, path: string | undefined): ExternalData | undefined {
  if (externalData === undefined) return path === undefined ? undefined : externalDataIn(dirname(path));
  if (!Array.isArray(externalData) || !externalData.every(isFile))
    throw optionError('externalData: a list of paths, or of objects with path and data', externalData);
  const files = new Map(
    externalData.map((file) => (typeof file === 'string' ? [file, file] : [file.path, file.data])) as [
      string,
      Uint8Array | string,
    ][],
  );
  return (location) => {
    const data = files.get(location);
    if (data !== undefined) return typeof data === 'string' ? readFileSync(data) : data;
    const names = [...files.keys()].map((name) => JSON.stringify(name)).join(', ') || 'none';
    const expected = `externalData with a file ${JSON.stringify(location)}`;
    throw runtimeError('ERR_RUNTIME_OPTION', { expected, received: names, at });
  };
}

/**
 * Converts the sizes that the caller gives to named axes (`freeDimensionOverrides`) to sizes of
 * inputs. Returns undefined if the caller gives none.
 * @throws ERR_RUNTIME_OPTION if no input has an axis of this name, or if a size is not an integer
 * of at least 0.
 */
export function shapesOf({ freeDimensionOverrides }: SessionOptions, bytes: Uint8Array): InputShapes | undefined {
  if (freeDimensionOverrides === undefined) return undefined;
  if (!isRecord(freeDimensionOverrides) || !Object.values(freeDimensionOverrides).every(isSize))
    throw optionError('freeDimensionOverrides: an object of sizes', freeDimensionOverrides);
  const names = new Set(Object.keys(freeDimensionOverrides));
  const used = new Set<string>();
  const sizeOf = (size: number | string | null) => {
    if (typeof size !== 'string' || !names.has(size)) return null;
    used.add(size);
    return freeDimensionOverrides[size]!;
  };
  const shapes = declaredInputsOf(readModel(bytes)).flatMap(({ name, shape }) =>
    shape?.some((size) => typeof size === 'string' && names.has(size)) ? [[name, shape.map(sizeOf)] as const] : [],
  );
  const unused = [...names].find((name) => !used.has(name));
  if (unused === undefined) return Object.fromEntries(shapes);
  const expected = 'freeDimensionOverrides with names of axes of inputs';
  throw runtimeError('ERR_RUNTIME_OPTION', { expected, received: JSON.stringify(unused), at });
}

/**
 * Returns the options of a run that Brezel supports. The other options of onnxruntime have no
 * effect.
 * @throws ERR_RUNTIME_OPTION for `terminate: true`.
 */
export function callOptions({ deadlineMs, signal, terminate }: RunOptions): RunOptions {
  if (terminate === true)
    throw runtimeError('ERR_RUNTIME_OPTION', {
      expected: 'terminate: false',
      received: 'true',
      at: 'run',
      hint: 'pass a signal, and abort it to end the run',
    });
  return { ...(deadlineMs !== undefined && { deadlineMs }), ...(signal !== undefined && { signal }) };
}
