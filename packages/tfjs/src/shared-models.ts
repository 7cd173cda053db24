import { type BackendModel, type BackendStage, backendError } from '@brezel/core';
import type { Library } from './libraries.js';
import type { ModelFacts, ModelRef } from './messages.js';
import { requestOf } from './request.js';

interface SharedModel {
  readonly library: Library;
  readonly ref: ModelRef;
  readonly facts: Promise<ModelFacts>;
  holders: number;
}

let nextId = 1;

/**
 * Opens each model only once for each library and checksum. All stages for the same model share it.
 * The model is closed when its last stage is disposed of.
 */
export class SharedModels {
  readonly #models = new Map<string, SharedModel>();
  readonly #stages = new Set<{ isClosed: boolean }>();

  /**
   * Returns a stage for a model. Opens the model only if it is not open yet.
   *
   * @throws ERR_BACKEND_MODEL
   */
  async open(library: Library, ref: Omit<ModelRef, 'id'>, model: BackendModel): Promise<BackendStage> {
    const key = JSON.stringify([library.ref.provider, ref.format, model.checksum]);
    const shared = this.#models.get(key) ?? opening(library, ref);
    this.#models.set(key, shared);
    shared.holders++;
    try {
      return this.#stageOf(shared, await shared.facts, model, () => this.#release(key, shared));
    } catch (error) {
      await this.#release(key, shared);
      throw error;
    }
  }

  closeAll(): void {
    for (const stage of this.#stages) stage.isClosed = true;
    this.#models.clear();
  }

  async #release(key: string, shared: SharedModel): Promise<void> {
    shared.holders--;
    if (shared.holders > 0) return;
    if (this.#models.get(key) === shared) this.#models.delete(key);
    // The error is ignored, because a dead worker or a closed backend has no models.
    await shared.library.thread.post('close', { id: shared.ref.id }).catch(() => undefined);
  }

  #stageOf(shared: SharedModel, facts: ModelFacts, model: BackendModel, release: () => Promise<void>): BackendStage {
    const { thread, ref: library, facts: found } = shared.library;
    const at = shared.ref.name;
    const inputs = facts.inputs;
    requireAllInputs(model.inputs, inputs, at);
    const outputs = chosen(model.outputs, facts.outputs, at);
    const wanted = outputs.map(({ name }) => name);
    const state = { isClosed: false };
    this.#stages.add(state);
    return {
      inputs,
      outputs,
      provider: library.provider,
      device: found.device,
      bytes: facts.bytes,
      run: async (tensors, { signal } = {}) => {
        if (state.isClosed) throw backendError('ERR_BACKEND_CLOSED', { at });
        const request = requestOf(inputs, tensors, at);
        const ref: ModelRef = { ...shared.ref, digest: facts.digest };
        const answers = await thread.post('run', { library, model: ref, inputs: request, outputs: wanted }, signal);
        return Object.fromEntries(answers.map(({ name, tensor }) => [name, tensor]));
      },
      dispose: async () => {
        if (state.isClosed) return;
        state.isClosed = true;
        this.#stages.delete(state);
        await release();
      },
    };
  }
}

function opening(library: Library, parts: Omit<ModelRef, 'id'>): SharedModel {
  const ref: ModelRef = { ...parts, id: nextId++ };
  return { library, ref, facts: library.thread.post('open', { library: library.ref, model: ref }), holders: 0 };
}

type Ports = ModelFacts['outputs'];

/**
 * Returns the outputs with the requested names, in the requested order. Throws for an unknown name.
 */
function chosen(names: readonly string[] | undefined, ports: Ports, at: string): Ports {
  if (names === undefined) return ports;
  return [...new Set(names)].map((name) => {
    const port = ports.find((candidate) => candidate.name === name);
    if (port !== undefined) return port;
    const expected = `outputs ${ports.map((candidate) => candidate.name).join(', ')}`;
    throw backendError('ERR_BACKEND_MODEL', { expected, received: `"${name}"`, at });
  });
}

/**
 * Throws if the caller requests only some inputs. TensorFlow has no default values for inputs, so a
 * request must contain all of them.
 */
function requireAllInputs(names: readonly string[] | undefined, ports: Ports, at: string): void {
  if (names === undefined) return;
  const [expected, received] = [ports.map(({ name }) => name), [...names]];
  if (expected.length === received.length && expected.every((name) => received.includes(name))) return;
  throw backendError('ERR_BACKEND_MODEL', {
    expected: `inputs ${expected.join(', ')}`,
    received: received.join(', '),
    at,
  });
}
