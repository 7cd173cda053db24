import ort from 'onnxruntime-node';

// onnxruntime-node as its users run it, with one thread: this is a race of single rows.

const OPTIONS = /** @type {const} */ ({ intraOpNumThreads: 1, interOpNumThreads: 1, logSeverityLevel: 3 });

/** @param {string} path @param {import('onnxruntime-node').InferenceSession.SessionOptions} [options] */
export const openSession = (path, options) => ort.InferenceSession.create(path, { ...OPTIONS, ...options });

/** What `run` takes for one text. Made before the clock starts, which is kind to the rival. @param {string} text @param {string} [name] */
export const feedOf = (text, name = 'text', dims = [1]) => ({ [name]: new ort.Tensor('string', [text], dims) });

/** @param {import('onnxruntime-node').InferenceSession} session @param {string} text @returns {Promise<number>} probability of class 1 */
export async function probabilityByRival(session, text) {
  const { probabilities, probability } = await session.run(feedOf(text));
  return Number(probabilities === undefined ? probability.data[0] : probabilities.data[1]);
}
