// Child processes of processes.test.ts. The first argument names the mode. Each process prints one
// line of JSON, and must end without a call of process.exit.
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { createFlour, createRuntime } from 'brezel';

const [, , mode] = process.argv;
/** The worker threads that this process has started and that have not ended. */
const threads = new Set();
process.on('worker', (worker) => {
  threads.add(worker);
  worker.on('exit', () => threads.delete(worker));
});

const flour = await createFlour();
const words = ['good', 'bad', 'film'];
const text = flour.columns({ text: 'string' }).select('text');
const counts = text.tokenize().wordNgram({ vocabulary: words.map((word) => [word]) });
const plan = { ...counts.linear({ weights: [1, -1, 0.5] }).plan(), nanosPerRow: 5000 };
const rows = Array.from({ length: 4000 }, (_, at) => `${words[at % 3]} `.repeat(at % 11));
const runtime = createRuntime({ store: flour.store, executors: 2 });
const registered = runtime.register(plan);
const want = rows.map((row) => JSON.stringify(runtime.predictSync(registered, row)));
const isRight = (answers) =>
  answers.length === rows.length && answers.every((one, at) => JSON.stringify(one) === want[at]);
const inHost = `
  const { parentPort } = require('node:worker_threads');
  process.argv[2] = 'idle in a thread';
  import(${JSON.stringify(import.meta.url)}).then((module) => parentPort.postMessage(module.report));`;

/** The modes. The process prints the value that the function of its mode returns. */
const modes = {
  'idle in a thread': async () => ({ right: isRight(await runtime.predictBatch(registered, rows)) }),
  /** Does not close the runtime. Only a batch keeps the process alive. */
  unawaited: async () => {
    void runtime
      .predictBatch(registered, rows)
      .then((answers) => console.log(JSON.stringify({ right: isRight(answers) })));
  },
  /** Does the same with JavaScript worker threads that are reserved for one plan. */
  'unawaited reserved': async () => {
    const other = createRuntime({ store: flour.store, executors: 2, native: false });
    const own = other.register(plan, { reserve: { executors: 1 } });
    void other.predictBatch(own, rows).then((answers) => console.log(JSON.stringify({ right: isRight(answers) })));
  },
  exit: async () => {
    void runtime.predictBatch(registered, rows);
    await runtime.warm(registered);
    console.log(JSON.stringify({ threads: threads.size > 0 }));
    process.exit(0);
  },
  /** Terminates all threads while batches run, until some batches have lost work. */
  terminate: async () => {
    await runtime.warm(registered);
    let killed = 0;
    let right = true;
    const lost = () => runtime.stats().executors.shared.lost;
    while (right && (killed <= 2 || lost() === 0)) {
      const batch = runtime.predictBatch(registered, rows);
      await new Promise(setImmediate);
      for (const thread of threads) {
        threads.delete(thread);
        killed++;
        void thread.terminate();
      }
      right = isRight(await batch);
    }
    await runtime.close();
    return { right, killed: killed > 2, lost: true };
  },
  /** Runs executors inside a worker thread of the application. */
  thread: () =>
    new Promise((resolve, reject) => {
      const worker = new Worker(inHost, { eval: true, argv: ['thread'] });
      worker.on('message', resolve);
      worker.on('error', reject);
    }),
  /** Terminates a worker thread of the application while its executors run. */
  'terminated thread': async () => {
    for (const event of ['online', 'message']) {
      const worker = new Worker(inHost, { eval: true });
      await once(worker, event);
      await worker.terminate();
    }
    return { right: isRight(await runtime.predictBatch(registered, rows)) };
  },
};

export const report = await modes[mode]();
if (report !== undefined && mode !== 'idle in a thread') console.log(JSON.stringify(report));
