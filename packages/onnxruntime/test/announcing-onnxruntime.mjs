// An onnxruntime-node for tests that reports each run before it starts, and the end of a slow
// `release` in the file that an environment variable names.
import { writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import onnxruntime from 'onnxruntime-node';

export const { Tensor, listSupportedBackends, env } = onnxruntime;

const entered = new BroadcastChannel('brezel test: entered onnxruntime');
entered.unref();

export const InferenceSession = {
  async create(model, options) {
    const session = await onnxruntime.InferenceSession.create(model, options);
    const { inputMetadata, outputMetadata } = session;
    return {
      inputMetadata,
      outputMetadata,
      async release() {
        await sleep(20);
        await session.release();
        if (process.env.BREZEL_TEST_RELEASED) writeFileSync(process.env.BREZEL_TEST_RELEASED, '');
      },
      run(feeds, fetches) {
        entered.postMessage('run');
        return session.run(feeds, fetches);
      },
    };
  },
};
