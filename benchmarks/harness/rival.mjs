import ort from 'onnxruntime-node';

// Opens onnxruntime-node with one thread, for races of single rows. Tensors are created before the
// clock starts, which favors onnxruntime.

const OPTIONS = /** @type {const} */ ({ intraOpNumThreads: 1, interOpNumThreads: 1, logSeverityLevel: 3 });

/**
 * @param {string} path
 * @param {import('onnxruntime-node').InferenceSession.SessionOptions} [options]
 */
export const openSession = (path, options) => ort.InferenceSession.create(path, { ...OPTIONS, ...options });

/** Returns the feed of one text. @param {string} text */
export const feedOf = (text) => ({ text: new ort.Tensor('string', [text], [1]) });

/**
 * Returns the feed of rows of numbers. @param {Float32Array} values row-major @param {number}
 * features
 */
export const feedOfNumbers = (values, features) => ({
  x: new ort.Tensor('float32', values, [values.length / features, features]),
});

/**
 * Returns the probability of class 1.
 *
 * @param {import('onnxruntime-node').InferenceSession} session
 * @param {string} text
 * @returns {Promise<number>}
 */
export async function rivalProbability(session, text) {
  const { probabilities, probability } = await session.run(feedOf(text));
  return Number(probabilities === undefined ? probability.data[0] : probabilities.data[1]);
}
