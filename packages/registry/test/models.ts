import { writeFileSync } from 'node:fs';
import { DataType, makeGraph, makeModel, makeNode, tensorInput, writeModel } from '@brezel/onnx';
import {
  type AddOptions,
  type Answer,
  createFlour,
  type ModelRegistry,
  type ObjectStore,
  type OwnedPlan,
} from 'brezel';

/**
 * Builds a plan that returns `answer` for any text, so that the answer identifies the version. All
 * plans share one vocabulary. `ownBytes` is the size of the weights, which plans do not share.
 */
export async function constantPlan(store: ObjectStore, answer: number, ownBytes = 8): Promise<OwnedPlan> {
  using flour = await createFlour({ store });
  const columns = Math.max(1, ownBytes / 4);
  const vocabulary = Array.from({ length: columns }, (_, column) => [`word${column}`]);
  // No text of a test contains the words of these weights.
  const weights = new Float32Array(columns).fill(answer + 0.5);
  const words = flour.columns({ text: 'string' }).select('text').tokenize().wordNgram({ vocabulary });
  return flour.program({ answer: words.linear({ weights, bias: answer }) }, { name: 'constant' }).plan();
}

/** Adds a plan of `constantPlan`, and releases the caller's reference. */
export async function addConstant(registry: ModelRegistry, name: string, answer: number, options?: AddOptions) {
  const plan = await constantPlan(registry.store, answer);
  registry.add(name, plan, options);
  plan.release();
}

/** Returns a source that loads a plan of `constantPlan` and counts its loads. */
export function constantSource(store: ObjectStore, answer: number, ownBytes?: number) {
  const source = {
    loads: 0,
    async load() {
      source.loads++;
      return { plan: await constantPlan(store, answer, ownBytes) };
    },
  };
  return source;
}

/** Returns an ONNX model that answers any two numbers with `answer`. */
export function onnxModel(answer: number): Uint8Array {
  const attributes = { coefficients: { floats: [0, 0] }, intercepts: { floats: [answer] } };
  const node = makeNode('LinearRegressor', ['x'], ['y'], attributes, 'ai.onnx.ml');
  return writeModel(
    makeModel(
      makeGraph({
        node: [node],
        input: [tensorInput('x', DataType.FLOAT, ['N', 2])],
        output: [tensorInput('y', DataType.FLOAT, ['N', 1])],
      }),
    ),
  );
}

export const writeOnnx = (path: string, answer: number) => writeFileSync(path, onnxModel(answer));

/** Returns the number that an answer contains, which identifies the version. */
export const numberOf = (answer: Answer): number => (Object.values(answer)[0] as number[])[0]!;

/** Returns the code of the error that a call throws, or undefined. */
export async function codeOf(call: () => unknown): Promise<string | undefined> {
  try {
    await call();
    return undefined;
  } catch (error) {
    return (error as { code?: string }).code;
  }
}

/**
 * Waits for the next turn of the event loop. The registry has then emitted the events of earlier
 * calls.
 */
export const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));
