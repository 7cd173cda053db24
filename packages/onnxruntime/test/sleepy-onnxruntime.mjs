// A slow onnxruntime-node for tests. If the second number of a request is 666, it returns its
// thread id.
import { setTimeout as sleep } from 'node:timers/promises';
import { threadId } from 'node:worker_threads';
import onnxruntime from 'onnxruntime-node';

export const { Tensor, listSupportedBackends, env } = onnxruntime;

export const InferenceSession = {
  async create(model, options) {
    const session = await onnxruntime.InferenceSession.create(model, options);
    const { inputMetadata, outputMetadata } = session;
    return {
      inputMetadata,
      outputMetadata,
      release: () => session.release(),
      async run(feeds, fetches) {
        await sleep(20);
        const asked = feeds.x.data[1] === 666;
        const answer = await session.run(feeds, fetches);
        if (asked) (fetches.y ?? answer.y).data[1] = threadId;
        return answer;
      },
    };
  },
};
