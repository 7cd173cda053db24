import type { BackendPort, ElementType } from '@brezel/core';
import type { InferenceSession, OnnxValue, Tensor } from 'onnxruntime-node';
import { move, transferableSymbol, valueSymbol } from 'piscina';
import type { OpenTask, Reply, RunTask, Task, WireTensor } from './tasks.js';

// Runs in a worker thread, one task at a time: onnxruntime-node computes on the thread that calls it. Sessions belong to the thread.

type Onnxruntime = typeof import('onnxruntime-node');

const sessions = new Map<string, InferenceSession>();

export default async function answer(task: Task): Promise<Reply> {
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

async function open({ key, model, providers, threads }: OpenTask, module: string): Promise<Reply> {
  const loaded = await load(module);
  if ('kind' in loaded) return loaded;
  try {
    const options: InferenceSession.SessionOptions = {
      executionProviders: [...providers],
      intraOpNumThreads: threads,
      interOpNumThreads: 1,
      executionMode: 'sequential',
      logSeverityLevel: 3,
    };
    const { InferenceSession } = loaded;
    const session =
      typeof model === 'string'
        ? await InferenceSession.create(model, options)
        : await InferenceSession.create(model, options);
    sessions.set(key, session);
    return { kind: 'opened', inputs: session.inputMetadata.map(port), outputs: session.outputMetadata.map(port) };
  } catch (error) {
    return fault('model', error);
  }
}

async function run({ key, feeds, fetches, cancelled }: RunTask, module: string): Promise<Reply> {
  if (Atomics.load(cancelled, 0) !== 0) return { kind: 'cancelled' };
  const session = sessions.get(key);
  const loaded = await load(module);
  if (session === undefined || 'kind' in loaded) return { kind: 'unknown' };
  try {
    const inputs = Object.fromEntries(Object.entries(feeds).map(([name, wire]) => [name, tensor(wire, loaded)]));
    const outputs = await session.run(inputs, fetches);
    return handOver(outputs);
  } catch (error) {
    return fault('run', error);
  }
}

async function load(module: string): Promise<Onnxruntime | Reply> {
  try {
    const found = await import(module);
    return (found.default ?? found) as Onnxruntime;
  } catch (error) {
    return fault('package', error);
  }
}

const fault = (where: 'package' | 'model' | 'run', error: unknown): Reply => ({
  kind: 'fault',
  where,
  message: error instanceof Error ? error.message.trim() : String(error),
});

/** A rank that is not known reads like a scalar's here: then nothing is said of the shape. */
function port(metadata: InferenceSession.ValueMetadata): BackendPort {
  const { name } = metadata;
  if (!metadata.isTensor) return { name, kind: 'sequence', element: undefined, shape: undefined };
  const shape = metadata.shape.length === 0 ? undefined : metadata.shape.map((size) => (size === '' ? null : size));
  return { name, kind: 'tensor', element: metadata.type as ElementType, shape };
}

function tensor({ element, shape, data }: WireTensor, { Tensor }: Onnxruntime): OnnxValue {
  return new Tensor(element as 'float32', data as Float32Array, shape);
}

/** Outputs with memory of their own, moved to the caller's thread. */
function handOver(outputs: InferenceSession.OnnxValueMapType): Reply {
  const memory: ArrayBuffer[] = [];
  const results = Object.entries(outputs).map(([name, value]): [string, WireTensor] => {
    const { type, dims, data } = value as Tensor;
    if (type === 'string') return [name, { element: 'string', shape: dims, data: data as string[] }];
    const own = (data as Float32Array).slice() as Float32Array<ArrayBuffer>;
    memory.push(own.buffer);
    return [name, { element: type as ElementType, shape: dims, data: own }];
  });
  const reply: Reply = { kind: 'ran', results: Object.fromEntries(results) };
  if (memory.length === 0) return reply;
  return move({ [transferableSymbol]: memory, [valueSymbol]: reply } as never) as never;
}
