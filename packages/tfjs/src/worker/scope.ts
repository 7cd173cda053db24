import type { TensorFlow } from './tensor-flow.js';

/**
 * Gives back every tensor that `work` made, but for those it keeps; when it throws, also the variables that it left behind. A worker does one
 * thing at a time, so what is made meanwhile is made by `work`.
 */
export async function inScope<T>(tf: TensorFlow, work: () => Promise<{ value: T; kept?: unknown }>): Promise<T> {
  const engine = tf.engine();
  const before = new Set(Object.keys(engine.registeredVariables));
  engine.startScope('brezel');
  let kept: unknown;
  try {
    const result = await work();
    kept = result.kept;
    return result.value;
  } catch (fault) {
    for (const [name, variable] of Object.entries(engine.registeredVariables))
      if (!before.has(name)) variable.dispose();
    throw fault;
  } finally {
    engine.endScope(kept);
  }
}
