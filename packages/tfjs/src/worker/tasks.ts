import { BackendError } from '@brezel/core';
import { move, transferableSymbol, valueSymbol } from 'piscina';
import { modelError } from '../files/model-error.js';
import type { FailureCode, LibraryRef, ModelRef, NamedTensor, Reply, TaskKind, Tasks } from '../messages.js';
import { loaded, memoryFacts, probeLibrary } from './library.js';
import type { OpenModel } from './open-model.js';
import { openers } from './openers.js';
import { inScope } from './scope.js';
import { answerOf, feedOf } from './tensors.js';

// The tasks of the worker. They run one at a time. Errors are returned as data, because a thrown
// error loses its code between threads.

const models = new Map<number, OpenModel>();

const probe = task<'probe'>('ERR_BACKEND_PROVIDER', ({ library }) => probeLibrary(library));

const open = task<'open'>('ERR_BACKEND_MODEL', async ({ library, model }) => {
  const { inputs, outputs, bytes, digest } = await opened(library, model);
  return { inputs, outputs, bytes, digest };
});

const run = task<'run'>('ERR_BACKEND_RUN', async ({ library, model: ref, inputs, outputs }) => {
  const tf = await loaded(library);
  const model = await opened(library, ref);
  return inScope(tf, async () => {
    const tensors = await model.run(feedOf(tf, inputs), outputs);
    return { value: await Promise.all(outputs.map((name, index) => answerOf(name, tensors[index]))) };
  });
});

const close = task<'close'>('ERR_BACKEND_RUN', async ({ id }) => {
  models.get(id)?.dispose();
  models.delete(id);
  return undefined;
});

const memory = task<'memory'>('ERR_BACKEND_RUN', memoryFacts);

const tasks: { readonly [K in TaskKind]: (input: Tasks[K]['in']) => Promise<unknown> } = {
  probe,
  open,
  run,
  close,
  memory,
};

/** Runs a task that the calling thread has sent, and returns its answer. */
export default function answer({ kind, task }: { readonly kind: TaskKind; readonly task: never }): Promise<unknown> {
  return tasks[kind](task);
}

/**
 * Returns an open model. If this worker has replaced one that died, opens the model again first.
 */
async function opened(library: LibraryRef, ref: ModelRef): Promise<OpenModel> {
  const known = models.get(ref.id);
  if (known !== undefined) return known;
  const tf = await loaded(library);
  const model = await inScope(tf, async () => {
    const value = await openers[ref.format](tf, ref);
    return { value, kept: value.weights };
  });
  if (ref.digest !== undefined && ref.digest !== model.digest) {
    model.dispose();
    throw modelError('the files that were opened before', 'others', ref.path);
  }
  models.set(ref.id, model);
  return model;
}

function task<K extends TaskKind>(code: FailureCode, work: (task: Tasks[K]['in']) => Promise<Tasks[K]['out']>) {
  return async (input: Tasks[K]['in']): Promise<unknown> => {
    try {
      const value = await work(input);
      return transferred({ value });
    } catch (error) {
      return { failure: failureOf(error, code) };
    }
  };
}

function failureOf(error: unknown, code: FailureCode) {
  if (!(error instanceof BackendError)) return { code, details: { received: textOf(error) } };
  const { cause, ...details } = error.details;
  return { code: error.code as FailureCode, details: { ...details, ...(cause ? { cause: textOf(cause) } : {}) } };
}

const textOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

/**
 * Marks the arrays of an answer so that they are transferred to the calling thread instead of
 * copied.
 */
function transferred(reply: Reply<unknown>): unknown {
  const list = 'value' in reply && Array.isArray(reply.value) ? (reply.value as readonly NamedTensor[]) : [];
  const buffers = list.flatMap(({ tensor }) => (tensor.element === 'string' ? [] : [tensor.data.buffer]));
  return buffers.length === 0 ? reply : move({ [transferableSymbol]: buffers, [valueSymbol]: reply } as never);
}
