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

/**
 * What a call to the device does instead of answering. If it returns undefined, the device answers.
 */
export type Fault = (inputs: BackendTensors) => Promise<BackendTensors> | undefined;

/**
 * A backend that claims to have a GPU. Behind it is the CPU provider of onnxruntime. Tests can set
 * faults.
 */
export class PosingDevice implements Backend {
  readonly name = 'posing';
  readonly formats = ['onnx'] as const;
  readonly opened: { readonly model: BackendModel; readonly options: BackendOptions | undefined }[] = [];
  /** The number of rows of each call, in order. */
  readonly calls: number[] = [];
  /** The number of open stages. */
  stagesOpen = 0;
  fault: Fault | undefined;
  /** The error that `open` throws. */
  refusal: Error | undefined;
  /** The promise that every call awaits first. */
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
      const fault = this.fault; // the fault at the start of the call
      await this.gate;
      return await (fault?.(inputs) ?? stage.run(inputs, options));
    } finally {
      this.#atOnce -= 1;
    }
  }

  /** Does nothing: later tests use the same backend. */
  async dispose(): Promise<void> {}
}

/** Whether onnxruntime-node can play the device. If not, the tests print why. */
export const hasDevice = missing === undefined;
