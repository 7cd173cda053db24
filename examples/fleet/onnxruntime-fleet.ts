import { createRequire } from 'node:module';
import { makeAttribute, readModel, writeModel } from '@brezel/onnx';
import type { InferenceSession, Tensor } from 'onnxruntime-node';
import type { Fleet, ModelFile } from './fleet.js';

type OnnxRuntime = typeof import('onnxruntime-node');

/**
 * Loads the library before the first measurement, so that the memory of the library is not counted
 * as memory of a model.
 */
export function loadLibrary(): OnnxRuntime {
  return createRequire(import.meta.url)('onnxruntime-node');
}

/**
 * Changes the locale in the text nodes of a file from en_US.UTF-8 to C.UTF-8. Small machines lack
 * en_US.UTF-8, and then onnxruntime rejects the model. C.UTF-8 folds the same letters.
 */
export function withPlainLocale({ name, bytes }: ModelFile): ModelFile {
  const model = readModel(bytes);
  const graph = model.graph!;
  const node = graph.node.map((node) => {
    if (node.opType !== 'StringNormalizer') return node;
    const others = node.attribute.filter((attribute) => attribute.name !== 'locale');
    return { ...node, attribute: [...others, makeAttribute('locale', { s: 'C.UTF-8' })] };
  });
  return { name, bytes: writeModel({ ...model, graph: { ...graph, node } }) };
}

const options = {
  intraOpNumThreads: 1,
  interOpNumThreads: 1,
  // fatal errors only: all other errors are thrown, so a log line is not needed
  logSeverityLevel: 4,
} as const;

/** Opens a fleet without models. `add` creates a session. */
export function openOnnxRuntime(library: OnnxRuntime): Fleet {
  const sessions: InferenceSession[] = [];
  return {
    async add({ bytes }) {
      sessions.push(await library.InferenceSession.create(bytes, options));
    },
    async ask(member, text) {
      const answer = await sessions[member]!.run({ text: new library.Tensor('string', [text], [1]) });
      const { label, probabilities } = answer as { label: Tensor; probabilities: Tensor };
      return { label: Number(label.data[0]), probability: probabilities.data[1] as number };
    },
    async close() {
      for (const session of sessions) await session.release();
    },
  };
}
