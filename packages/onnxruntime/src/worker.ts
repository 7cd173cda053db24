import type { BackendPort, ElementType } from '@brezel/core';
import type { InferenceSession, OnnxValue, Tensor } from 'onnxruntime-node';
import { move, transferableSymbol, valueSymbol } from 'piscina';
import { guardedTask } from './exit-guard.js';
import type { GuardedTask, OpenTask, Reply, RunTask, Task, WireTensor } from './tasks.js';
import { memoryOf } from './wire-memory.js';

// Runs tasks in a worker thread, one at a time. onnxruntime-node computes on the thread that calls
// it, and sessions belong to that thread.

type Onnxruntime = typeof import('onnxruntime-node');

const sessions = new Map<string, InferenceSession>();

export default async function answer(task: GuardedTask): Promise<Reply> {
  const reply = await guardedTask(task.guard, () => perform(task));
  return reply ?? { kind: 'cancelled', returned: [] };
}

async function perform(task: Task): Promise<Reply> {
  switch (task.kind) {
    case 'open':
      return open(task, task.module);
    case 'run':
      return run(task, task.module);
    case 'close':
      await sessions.get(task.key)?.release();
      sessions.delete(task.key);
      return { kind: 'closed' };
  }
}

async function open(task: OpenTask, module: string): Promise<Reply> {
  const { key, model } = task;
  const loaded = await load(module);
  if ('kind' in loaded) return loaded;
  try {
    const options = optionsOf(task);
    const { InferenceSession } = loaded;
    const session =
      typeof model === 'string'
        ? await InferenceSession.create(model, options)
        : await InferenceSession.create(model, options);
    sessions.set(key, session);
    return { kind: 'opened', inputs: session.inputMetadata.map(port), outputs: session.outputMetadata.map(port) };
  } catch (error) {
    return failure('model', error);
  }
}

const optionsOf = (task: OpenTask): InferenceSession.SessionOptions => ({
  logSeverityLevel: 3,
  ...task.sessionOptions,
  executionProviders: task.providers.map((name) => ({ name, ...task.providerOptions?.[name] })),
  intraOpNumThreads: task.threads,
  interOpNumThreads: 1,
  executionMode: 'sequential',
});

async function run(task: RunTask, module: string): Promise<Reply> {
  const returned = memoryOf([...Object.values(task.feeds), ...Object.values(task.fetches)]);
  if (Atomics.load(task.cancelled, 0) !== 0) return handOver({ kind: 'cancelled', returned }, returned);
  const session = sessions.get(task.key);
  const loaded = await load(module);
  if (session === undefined || 'kind' in loaded) return handOver({ kind: 'unknown', returned }, returned);
  try {
    return await answerOf(session, task, loaded);
  } catch (error) {
    return handOver({ ...failure('run', error), returned }, returned);
  }
}

/**
 * Runs a request so that onnxruntime writes the outputs into the arrays of the request. If the
 * arrays do not match the outputs, runs the request again without them.
 */
async function answerOf(session: InferenceSession, task: RunTask, loaded: Onnxruntime): Promise<Reply> {
  const feeds = Object.fromEntries(Object.entries(task.feeds).map(([name, wire]) => [name, tensor(wire, loaded)]));
  const wanted = Object.entries(task.fetches);
  const arrays = wanted.map(([name, wire]) => [name, wire && tensor(wire, loaded)] as const);
  try {
    const outputs = await session.run(feeds, Object.fromEntries(arrays));
    return ranReply(task, outputs, new Set(arrays.flatMap(([name, array]) => (array === null ? [] : [name]))));
  } catch (error) {
    if (!/provided for output .* has shape/.test(String(error))) throw error;
    const outputs = await session.run(
      feeds,
      wanted.map(([name]) => name),
    ); // the file declares wrong shapes
    return ranReply(task, outputs, new Set(), true);
  }
}

async function load(module: string): Promise<Onnxruntime | Reply> {
  try {
    const found = await import(module);
    return (found.default ?? found) as Onnxruntime;
  } catch (error) {
    return failure('package', error);
  }
}

const failure = (where: 'package' | 'model' | 'run', error: unknown): Reply & { readonly kind: 'failed' } => ({
  kind: 'failed',
  where,
  message: error instanceof Error ? error.message.trim() : String(error),
});

/**
 * Converts the description of an input or output. onnxruntime reports an unknown number of axes as
 * no axes, so the shape is then undefined.
 */
function port(metadata: InferenceSession.ValueMetadata): BackendPort {
  const { name } = metadata;
  if (!metadata.isTensor) return { name, kind: 'sequence', element: undefined, shape: undefined };
  const shape = metadata.shape.length === 0 ? undefined : metadata.shape.map((size) => (size === '' ? null : size));
  return { name, kind: 'tensor', element: metadata.type as ElementType, shape };
}

function tensor({ element, shape, data }: WireTensor, { Tensor }: Onnxruntime): OnnxValue {
  return new Tensor(element as 'float32', data as Float32Array, shape);
}

/**
 * Returns the reply to a request. `inPlace` contains the names of the outputs that onnxruntime has
 * written into arrays of the request.
 */
function ranReply(
  { feeds, fetches }: RunTask,
  outputs: InferenceSession.OnnxValueMapType,
  inPlace: ReadonlySet<string>,
  wrongShapes = false,
): Reply {
  const results = Object.entries(outputs).map(([name, value]): [string, WireTensor] => {
    if (inPlace.has(name)) return [name, fetches[name]!];
    const { type, dims, data } = value as Tensor;
    if (type === 'string') return [name, { element: 'string', shape: dims, data: data as string[] }];
    return [name, { element: type as ElementType, shape: dims, data: (data as Float32Array).slice() }];
  });
  const unused = Object.entries(fetches).flatMap(([name, wire]) => (inPlace.has(name) ? [] : [wire]));
  const returned = memoryOf([...Object.values(feeds), ...unused]);
  const reply: Reply = {
    kind: 'ran',
    results: Object.fromEntries(results),
    returned,
    ...(wrongShapes && { wrongShapes: true as const }),
  };
  return handOver(reply, [...returned, ...memoryOf(results.map(([, wire]) => wire))]);
}

/** Marks memory of a reply that is transferred to the calling thread instead of copied. */
function handOver(reply: Reply, memory: readonly ArrayBuffer[]): Reply {
  if (memory.length === 0) return reply;
  return move({ [transferableSymbol]: memory, [valueSymbol]: reply } as never) as never;
}
