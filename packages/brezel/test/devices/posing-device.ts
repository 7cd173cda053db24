import {
  type Backend,
  type BackendModel,
  type BackendOptions,
  type BackendRunOptions,
  type BackendStage,
  type BackendTensors,
  onnxruntimeBackend,
} from 'brezel';
import { missing } from '../../../onnxruntime/test/models.js';

/** All tests share one backend, because starting a thread for each takes longer than the tests. */
const real = onnxruntimeBackend({ workers: 1 });

/** What a call to the device does instead of answering; undefined: it answers. */
export type Fault = (inputs: BackendTensors) => Promise<BackendTensors> | undefined;

/**
 * A backend that poses as one with a GPU: onnxruntime's CPU provider behind it, and faults that
 * tests ask for.
 */
export class PosingDevice implements Backend {
  readonly name = 'posing';
  readonly formats = ['onnx'] as const;
  readonly opened: { readonly model: BackendModel; readonly options: BackendOptions | undefined }[] = [];
  /** Rows of each call, in order. */
  readonly calls: number[] = [];
  /** Stages that are open now. */
  stagesOpen = 0;
  fault: Fault | undefined;
  /** Thrown by `open`. */
  refusal: Error | undefined;
  /** Every call waits for this first. */
  gate: Promise<void> | undefined;
  mostAtOnce = 0;
  #atOnce = 0;

  probe = () => real.probe();

  async open(model: BackendModel, options?: BackendOptions): Promise<BackendStage> {
    this.opened.push({ model, options });
    if (this.refusal !== undefined) throw this.refusal;
    if (options?.device === 'cpu') return real.open(model, options);
    const stage = await real.open(model, { device: 'cpu' });
    this.stagesOpen += 1;
    let isOpen = true;
    return {
      ...stage,
      provider: 'posing-gpu',
      device: 'gpu',
      run: (inputs, runOptions) => this.#run(stage, inputs, runOptions),
      dispose: async () => {
        if (isOpen) this.stagesOpen -= 1;
        isOpen = false;
        await stage.dispose();
      },
    };
  }

  async #run(stage: BackendStage, inputs: BackendTensors, options?: BackendRunOptions): Promise<BackendTensors> {
    this.calls.push(Object.values(inputs)[0]!.shape[0]!);
    this.mostAtOnce = Math.max(this.mostAtOnce, ++this.#atOnce);
    try {
      const fault = this.fault; // as it is when the call comes
      await this.gate;
      return await (fault?.(inputs) ?? stage.run(inputs, options));
    } finally {
      this.#atOnce -= 1;
    }
  }

  /** Does nothing: later tests use the same backend. */
  async dispose(): Promise<void> {}
}

/** onnxruntime-node poses as the device. A printed line reports a missing one. */
export const hasDevice = missing === undefined;
