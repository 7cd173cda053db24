// A faulty onnxruntime-node for tests. If the first number of a request is 666, the run ends its
// thread; if it is 13, the run throws.
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
      run(feeds, fetches) {
        const [first] = (feeds.x ?? feeds.in_0).data;
        if (first === 666) process.exit(7);
        if (first === 13) throw new Error('out of luck');
        return session.run(feeds, fetches);
      },
    };
  },
};
