import { readFile } from 'node:fs/promises';
import { BrezelError } from '@brezel/core';
import type { FlourContext } from '@brezel/flour';
import { type ImportedTensors, importTensors } from '@brezel/onnx';
import { type Runtime, runtimeError } from '@brezel/runtime';
import { type FileModel, importAnyFile } from '../model-file.js';
import { createFlour, createRuntime, openStore } from '../wire.js';
import { describe } from './feeds.js';
import { fetchesOf, withFetched } from './fetches.js';
import { namesOf } from './metadata.js';
import type { FetchArguments, SessionModel } from './model.js';
import { callOptions, checkSessionOptions, externalDataOf, shapesOf } from './options.js';
import { RowModel } from './row-model.js';
import { isSize } from './tensor.js';
import { TensorModel } from './tensor-model.js';
import type { Feeds, Fetches, Results, RunOptions, SessionOptions, ValueMetadata } from './types.js';

export declare namespace InferenceSession {
  type SessionOptions = import('./types.js').SessionOptions;
  type RunOptions = import('./types.js').RunOptions;
  type FeedsType = Feeds;
  type FetchesType = Fetches;
  type ReturnType = Results;
  type ValueMetadata = import('./types.js').ValueMetadata;
}

/**
 * The runtime that all sessions of this thread share, so that parameters of similar models are
 * stored once.
 */
let runtimeOfThread: Promise<Runtime> | undefined;
let sessions = 0;

const sharedRuntime = (): Promise<Runtime> => {
  runtimeOfThread ??= openStore()
    .then((store) => createRuntime({ store }))
    .catch((error: unknown) => {
      runtimeOfThread = undefined; // the next session tries again
      throw error;
    });
  return runtimeOfThread;
};

/**
 * Runs a model. The class has the methods of a session of onnxruntime-node. To try Brezel, replace
 * the import of `onnxruntime-node` by `brezel/inference-session`. Brezel runs the model, not
 * onnxruntime. All sessions of a thread share one runtime, so that parameters of similar models are
 * stored once.
 *
 * `run` returns the same bits as `runtime.predictBatch`, or as `runtime.predictTensors` for a
 * tensor program. The first axis of every input of a row program holds the rows.
 *
 * @example
 * const session = await InferenceSession.create(bytes);
 * console.log(session.inputMetadata); // names, types and shapes
 * await session.release();
 */
export class InferenceSession {
  readonly #model: SessionModel;
  /**
   * The context that holds the parameters of a tensor program. A row program has a plan instead,
   * which holds its parameters.
   */
  readonly #flour: FlourContext;
  #isReleased = false;

  private constructor(model: SessionModel, flour: FlourContext) {
    this.#model = model;
    this.#flour = flour;
  }

  /**
   * Loads a model: an ONNX file, or a file of LightGBM, XGBoost or ML.NET. The import and the
   * compilation run on this thread.
   *
   * @param model the path of the file, or its bytes.
   * @throws ERR_RUNTIME_OPTION, and the errors of the importers.
   */
  static create(model: string | Uint8Array | ArrayBufferLike, options?: SessionOptions): Promise<InferenceSession>;
  static create(
    model: ArrayBufferLike,
    byteOffset: number,
    byteLength?: number,
    options?: SessionOptions,
  ): Promise<InferenceSession>;
  static async create(
    model: string | Uint8Array | ArrayBufferLike,
    ...others: readonly (number | SessionOptions | undefined)[]
  ): Promise<InferenceSession> {
    const options = others.find((one): one is SessionOptions => one !== undefined && typeof one !== 'number') ?? {};
    checkSessionOptions(options);
    const [offset, length] = others.filter((one) => typeof one === 'number');
    const bytes = await bytesOf(model, offset, length);
    const path = typeof model === 'string' ? model : undefined;
    const choices = { externalData: externalDataOf(options, path), shapes: shapesOf(options, bytes) };
    const runtime = await sharedRuntime();
    const flour = await createFlour({ store: runtime.store });
    const name = `session ${++sessions}`;
    try {
      const imported = importAnyFile(bytes, flour, choices);
      if (imported.kind === 'tensor') return new InferenceSession(new TensorModel(runtime, imported, name), flour);
      const padded = paddedTokens(imported, () => importTensors(bytes, { ...choices, flour }));
      if (padded !== undefined) return new InferenceSession(new TensorModel(runtime, padded, name), flour);
      const session = new InferenceSession(new RowModel(runtime, imported, name), flour);
      flour.dispose(); // the plan holds the parameters
      return session;
    } catch (error) {
      flour.dispose();
      throw error;
    }
  }

  /** The names of the inputs. */
  get inputNames(): readonly string[] {
    return this.#model.inputs.map(namesOf);
  }

  /** The names of the outputs. */
  get outputNames(): readonly string[] {
    return this.#model.outputs.map(namesOf);
  }

  /** Types and shapes of the inputs, in the order of `inputNames`. */
  get inputMetadata(): readonly ValueMetadata[] {
    return this.#model.inputs;
  }

  /** Types and shapes of the outputs, in the order of `outputNames`. */
  get outputMetadata(): readonly ValueMetadata[] {
    return this.#model.outputs;
  }

  /**
   * Answers one request.
   *
   * @param feeds one tensor for each input, of Brezel or of onnxruntime.
   * @param fetches the outputs to return: a list of names, or an object that maps each name to
   * null, or to a tensor that receives the elements. Default: all outputs that are tensors.
   * @throws ERR_RUNTIME_INPUT with the name of the input; ERR_RUNTIME_OUTPUT for an unknown output,
   * and for an output that is not a tensor; ERR_RUNTIME_UNKNOWN_PLAN after `release`; the errors of
   * `predictBatch` and `predictTensors`.
   */
  run(feeds: Feeds, options?: RunOptions): Promise<Results>;
  run(feeds: Feeds, fetches: Fetches, options?: RunOptions): Promise<Results>;
  async run(feeds: Feeds, ...others: FetchArguments): Promise<Results> {
    const { names, targets, options } = fetchesOf(this.#model.outputs, others);
    this.#checkFeeds(feeds);
    return withFetched(await this.#model.run(feeds, names, callOptions(options)), targets);
  }

  /**
   * Frees the model. Parameters that another session uses stay in memory. Runs in flight are
   * rejected.
   */
  async release(): Promise<void> {
    if (this.#isReleased) return;
    this.#isReleased = true;
    this.#model.release();
    this.#flour.dispose();
  }

  #checkFeeds(feeds: Feeds): void {
    const fail = (expected: string, received: string, input?: string) =>
      runtimeError('ERR_RUNTIME_INPUT', { expected, received, at: 'run', ...(input !== undefined && { input }) });
    if (typeof feeds !== 'object' || feeds === null || Array.isArray(feeds))
      throw fail('an object with a tensor for each input', Array.isArray(feeds) ? 'a list' : `${feeds}`);
    const { inputs, optional } = this.#model;
    const names = new Set(inputs.map(namesOf));
    const unknown = Object.keys(feeds).find((name) => !names.has(name));
    if (unknown !== undefined) throw fail(`the inputs ${[...names].join(', ')}`, JSON.stringify(unknown), unknown);
    const missing = [...names].find((name) => feeds[name] === undefined && !optional.has(name));
    if (missing !== undefined) throw fail(`a tensor for input "${missing}"`, 'nothing', missing);
  }
}

/**
 * Returns a tensor program for an ONNX model that outputs tokens, because the answers of a row
 * program contain no padding. The tensor program appends the `pad_value` of the file to rows with
 * fewer tokens. Returns undefined for other models, and if a node has only a row operator.
 */
function paddedTokens(
  { program, irVersion }: FileModel,
  asTensors: () => ImportedTensors,
): ImportedTensors | undefined {
  const hasTokens = program.outputs.some(({ node }) => node.type.kind === 'tokens');
  if (!hasTokens || irVersion === undefined) return undefined;
  try {
    return asTensors();
  } catch (error) {
    if (error instanceof BrezelError && error.code === 'ERR_ONNX_UNSUPPORTED') return undefined;
    throw error;
  }
}

async function bytesOf(
  model: string | Uint8Array | ArrayBufferLike,
  start: number | undefined,
  length: number | undefined,
): Promise<Uint8Array> {
  if (start === undefined && typeof model === 'string') return readFile(model);
  if (start === undefined && model instanceof Uint8Array) return model;
  const offset = start ?? 0;
  if (model instanceof ArrayBuffer || model instanceof SharedArrayBuffer) {
    const most = model.byteLength - offset;
    if (isSize(offset) && most >= 0 && (length === undefined || (isSize(length) && length <= most)))
      return new Uint8Array(model, offset, length);
  }
  throw runtimeError('ERR_RUNTIME_OPTION', {
    expected: 'a path, a Uint8Array, or an ArrayBuffer with an offset and a length inside it',
    received: [describe(model), start !== undefined && `offset ${start}`, length !== undefined && `length ${length}`]
      .filter(Boolean)
      .join(', '),
    at: 'InferenceSession.create',
  });
}
