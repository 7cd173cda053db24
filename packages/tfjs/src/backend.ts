import {
  type Backend,
  type BackendFormat,
  type BackendModel,
  type BackendOptions,
  type BackendReport,
  type BackendStage,
  backendError,
  type Clock,
  checkOptionNames,
  type ErrorDetails,
  optionNames,
  systemClock,
} from '@brezel/core';
import { Libraries } from './libraries.js';
import type { MemoryFacts, ModelRef } from './messages.js';
import { reportOf } from './report.js';
import { SharedModels } from './shared-models.js';

/** Options of `tfjsBackend`. */
export interface TfjsOptions {
  /**
   * Folder from which Node resolves the TensorFlow package. Default: the folder of this package,
   * then the working directory.
   */
  readonly resolveFrom?: string;
  /** The largest total size of a model's weights, and of its files, in bytes. Default 2 GiB. */
  readonly maxBytes?: number;
  /**
   * Time limit of a request in milliseconds, without its time in the queue. A longer request fails
   * with ERR_BACKEND_LOST, and its worker is terminated. Default: no limit.
   */
  readonly maxRunMs?: number;
  /**
   * The clock that measures `maxRunMs`. Tests can pass another clock. Default: the clock of the
   * process.
   */
  readonly clock?: Clock;
}

const optionsOfBackend = optionNames<TfjsOptions>({ resolveFrom: true, maxBytes: true, maxRunMs: true, clock: true });

/** Memory of one TensorFlow library, from `tf.memory()`. */
export type TfjsMemory = MemoryFacts;

/** A backend that runs models with TensorFlow.js. */
export interface TfjsBackend extends Backend {
  /**
   * Returns the memory of each loaded library, by provider. Waits until earlier requests are
   * answered.
   */
  memory(): Promise<Readonly<Record<string, TfjsMemory>>>;
}

const formats = ['tfjs-layers', 'tfjs-graph', 'saved-model'] as const satisfies readonly BackendFormat[];

/**
 * Creates a backend that runs models with TensorFlow.js. For each model, it uses the first of these
 * packages that works and supports the format: `@tensorflow/tfjs-node-gpu`,
 * `@tensorflow/tfjs-node`, `@tensorflow/tfjs`. Each library runs in a worker thread and is loaded
 * on first use.
 *
 * A model must be a file: pass `path` and not `bytes`. For the formats `tfjs-layers` and
 * `tfjs-graph`, `path` is model.json or its folder. For a `saved-model`, `path` is its folder; only
 * the two native packages open it. Element types: float32, int32, bool, string. Each library runs
 * one request at a time and does not block the event loop.
 *
 * @throws ERR_BACKEND_OPTION for an unknown option, and for a limit that is not a positive whole
 * number.
 * @example
 * const backend = tfjsBackend({ maxRunMs: 10_000 });
 * const { available, why, remedy } = await backend.probe();
 * await backend.dispose();
 */
export function tfjsBackend(options: TfjsOptions = {}): TfjsBackend {
  const fail = (details: ErrorDetails) => backendError('ERR_BACKEND_OPTION', details);
  checkOptionNames(options, optionsOfBackend, fail, 'tfjsBackend');
  const maxBytes = positive('maxBytes', options.maxBytes) ?? 2 ** 31;
  const libraries = new Libraries(options.resolveFrom, {
    maxRunMs: positive('maxRunMs', options.maxRunMs),
    clock: options.clock ?? systemClock,
  });
  const models = new SharedModels();
  return {
    name: 'tfjs',
    formats,
    probe: (): Promise<BackendReport> => reportOf(libraries),
    async open(model: BackendModel, wanted: BackendOptions = {}): Promise<BackendStage> {
      const { format, path } = checkModel(model);
      const library = await libraries.choose(wanted, format);
      const name = model.name ?? path;
      return models.open(library, { format, path, name, maxBytes, digest: undefined }, model);
    },
    async memory() {
      const held: Record<string, TfjsMemory> = {};
      for (const { ref, thread } of libraries.loaded())
        held[ref.provider] = thread.isRunning ? await thread.post('memory', {}) : { tensors: 0, bytes: 0 };
      return held;
    },
    async dispose() {
      models.closeAll();
      await libraries.close();
    },
  };
}

function checkModel({ format, path, name }: BackendModel): Pick<ModelRef, 'format' | 'path'> {
  const at = name ?? 'the model';
  if (format === 'onnx' || format === 'external' || !formats.includes(format))
    throw backendError('ERR_BACKEND_MODEL', { expected: formats.join(', '), received: format, at });
  if (path !== undefined) return { format, path };
  const hint = 'TensorFlow models are several files: give the path of model.json or of the folder';
  throw backendError('ERR_BACKEND_MODEL', { expected: 'a path', received: 'none', at, hint });
}

function positive(option: string, value: number | undefined): number | undefined {
  if (value === undefined || (Number.isSafeInteger(value) && value > 0)) return value;
  throw backendError('ERR_BACKEND_OPTION', { expected: 'a positive whole number', received: `${value}`, at: option });
}
