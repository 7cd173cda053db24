import threads = require('node:worker_threads');

// The task module of every pool of worker threads. Piscina loads its task module with `require`.
// Node 20 ends the whole process when a thread is terminated while it requires an ES module
// ("v8::Module::IsGraphAsync must be used on an instantiated module"). A thread that imports an ES
// module may end at any time, so this CommonJS module imports it.

const { module: url, name } = threads.workerData as { readonly module: string; readonly name: string };
const loaded: Promise<Readonly<Record<string, (task: unknown) => unknown>>> = import(url);
loaded.catch(() => undefined); // each task reports the error

export = async (task: unknown): Promise<unknown> => {
  const { [name]: answer } = await loaded;
  return answer!(task);
};
