import { InferenceSession, Tensor } from 'brezel/inference-session';

/** Returns a label and the probability of this label for each flower (four measurements in cm). */
export async function classify(model: string, flowers: readonly (readonly number[])[]) {
  const session = await InferenceSession.create(model);
  const x = new Tensor('float32', Float32Array.from(flowers.flat()), [flowers.length, 4]);
  const { label, probabilities } = await session.run({ x });
  const labels = Array.from(label!.data as BigInt64Array, Number);
  const scores = probabilities!.data as Float32Array;
  await session.release();
  return labels.map((label, row) => ({ label, probability: scores[row * 3 + label]! }));
}
