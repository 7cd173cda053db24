import {
  type Backend,
  type BackendOptions,
  type BackendStage,
  type BackendTensor,
  type BlackBox,
  backendError,
  type ElementType,
  type TensorValue,
} from '@brezel/core';
import type { OpenBox } from '../../features/devices/box-devices.js';

/**
 * The largest number of open stages for one black box. A backend needs a separate stage for each
 * combination of the element types of its inputs, and requests can contain any combination.
 */
const MAX_STAGES = 8;

/**
 * The black boxes of one tensor program on a backend. A stage opens on first use, or ahead of time
 * if the file declares all types.
 */
export class BlackBoxStages {
  readonly #backend: Backend;
  readonly #options: BackendOptions;
  readonly #openBox: OpenBox;
  readonly #stages = new Map<BlackBox, Map<string, Promise<BackendStage>>>();
  #closed = false;

  /** @throws ERR_BACKEND_MISSING when no backend supports ONNX models. */
  constructor(boxes: readonly BlackBox[], backends: readonly Backend[], options: BackendOptions, openBox: OpenBox) {
    const backend = backends.find(({ formats }) => formats.includes('onnx'));
    if (backend === undefined) throw backendError('ERR_BACKEND_MISSING', { at: boxes[0]!.name, hint: MISSING_HINT });
    this.#backend = backend;
    this.#options = options;
    this.#openBox = openBox;
    for (const box of boxes) this.#openAhead(box);
  }

  #openAhead(box: BlackBox): void {
    const elements = box.inputs.flatMap(({ element }) => element ?? []);
    // the first request reports the error
    if (elements.length === box.inputs.length) this.#stage(box, elements).catch(() => undefined);
  }

  /**
   * Runs a black box.
   * @throws ERR_BACKEND_INPUT for a sequence, which backends do not support; also the errors of the
   * backend.
   */
  async run(
    box: BlackBox,
    inputs: readonly (TensorValue | undefined)[],
    signal?: AbortSignal,
  ): Promise<readonly TensorValue[]> {
    const tensors = inputs.map((value, at) => tensorOf(box, at, value));
    const stage = await this.#stage(
      box,
      tensors.map(({ element }) => element),
    );
    const named = Object.fromEntries(tensors.map((tensor, at) => [box.inputs[at]!.name, tensor]));
    const answers = await stage.run(named, { signal });
    return box.outputs.map((name) => answers[name]!);
  }

  #stage(box: BlackBox, elements: readonly ElementType[]): Promise<BackendStage> {
    const known = this.#stages.get(box) ?? new Map<string, Promise<BackendStage>>();
    this.#stages.set(box, known);
    const key = elements.join();
    const stage = known.get(key) ?? this.#open(box, elements);
    known.delete(key); // inserts it again at the end, as the most recently used stage
    known.set(key, stage);
    stage.catch(() => known.delete(key)); // the next request tries again
    for (const [old, least] of [...known].slice(0, Math.max(0, known.size - MAX_STAGES))) {
      known.delete(old);
      letGo(least);
    }
    return stage;
  }

  async #open(box: BlackBox, elements: readonly ElementType[]): Promise<BackendStage> {
    const stage = await this.#openBox(this.#backend, box.model(elements), this.#options);
    if (!this.#closed) return stage;
    letGo(Promise.resolve(stage));
    throw backendError('ERR_BACKEND_CLOSED', { at: box.name });
  }

  /** Releases all open stages, each after its runs in flight. */
  close(): void {
    this.#closed = true;
    for (const stages of this.#stages.values()) for (const stage of stages.values()) letGo(stage);
    this.#stages.clear();
  }
}

const MISSING_HINT =
  'npm install onnxruntime-node, and give the runtime its backend: createRuntime({ store, backends: [onnxruntimeBackend()] })';

/** Releases a stage and ignores errors of the release. */
function letGo(stage: Promise<BackendStage>): void {
  stage.then((opened) => opened.dispose()).catch(() => undefined);
}

function tensorOf(box: BlackBox, at: number, value: TensorValue | undefined): BackendTensor {
  if (value !== undefined && value.element !== 'sequence') return value;
  throw backendError('ERR_BACKEND_INPUT', {
    expected: 'a tensor',
    received: value === undefined ? 'nothing' : 'a sequence',
    at: `${box.name}, input "${box.inputs[at]!.name}"`,
  });
}
