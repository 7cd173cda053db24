import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { modelError } from '../files/model-error.js';
import { closeAll, openRegular, readInto } from '../files/paths.js';
import type { ModelRef } from '../messages.js';
import type { OpenModel } from './open-model.js';
import { portOf } from './ports.js';
import type { TensorFlow, TfMetaGraph } from './tensor-flow.js';

const TAG = 'serve';
const SIGNATURE = 'serving_default';

/**
 * Opens a Python SavedModel. The C library of TensorFlow reads and runs the model, so only the
 * native packages support it.
 */
export async function openSavedModel(tf: TensorFlow, { path, maxBytes }: ModelRef): Promise<OpenModel> {
  if (tf.node === undefined) throw modelError('tfjs-node or tfjs-node-gpu', 'tfjs, which cannot open a SavedModel');
  const file = checkFolder(path, maxBytes);
  const graphs = await tf.node.getMetaGraphsFromSavedModel(path);
  const signature = signatureOf(graphs);
  const model = await tf.node.loadSavedModel(path, [TAG], SIGNATURE);
  const inputs = Object.entries(signature.inputs).map(([key, port]) => portOf(key, port));
  const outputs = Object.entries(signature.outputs).map(([key, port]) => portOf(key, port));
  return {
    inputs,
    outputs,
    ...file,
    async run(feed, wanted) {
      const answers = model.predict(feed);
      return wanted.map((name) => answers[name]!);
    },
    dispose: () => model.dispose(),
  };
}

function signatureOf(graphs: readonly TfMetaGraph[]) {
  const serving = graphs.find(({ tags }) => tags.includes(TAG));
  if (serving === undefined) throw modelError(`a graph with the tag ${TAG}`, 'none');
  const signature = serving.signatureDefs[SIGNATURE];
  if (signature !== undefined) return signature;
  throw modelError(`a signature ${SIGNATURE}`, Object.keys(serving.signatureDefs).join(', ') || 'none');
}

/**
 * Checks the size of the graph file, and returns its size and digest. TensorFlow reads this file
 * and the variables when it opens the model.
 */
function checkFolder(path: string, maxBytes: number): { bytes: number; digest: string } {
  if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) throw modelError('a folder', 'no such folder', path);
  const file = openRegular(join(path, 'saved_model.pb'), 'saved_model.pb');
  try {
    if (file.bytes > maxBytes) throw modelError(`at most ${maxBytes} bytes`, `${file.bytes}`, 'saved_model.pb');
    const bytes = new Uint8Array(file.bytes);
    readInto(bytes, file);
    return { bytes: file.bytes, digest: createHash('sha256').update(bytes).digest('hex') };
  } finally {
    closeAll([file]);
  }
}
