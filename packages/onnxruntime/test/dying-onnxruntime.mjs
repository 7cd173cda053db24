// onnxruntime-node with two faults: a run whose first number is 666 ends its thread, and one of 13 throws.
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
