import { EventEmitter } from 'node:events';
import { describe, expect, test, vi } from 'vitest';
import { ManualClock } from '../../../../../testing/manual-clock.js';
import { until } from '../../../../../testing/until.js';
import type { ModelState } from './shared-state.js';
import { STEP_MS, type WorkerProcess } from './worker-link.js';
import { Workers } from './workers.js';

interface Message {
  readonly id: number;
  /** Undefined in a reply. */
  readonly method?: string;
  readonly argument?: { readonly ports?: { readonly http: number }; readonly secrets?: unknown };
}

interface SentError {
  readonly code: string;
  readonly message: string;
}

/** A worker process that runs no code: the test chooses when it starts and when it ends. */
class FakeProcess extends EventEmitter {
  readonly pid: number | undefined;
  readonly received: Message[] = [];
  /** The error of `commit`. Undefined if the worker loads its models. */
  fails: SentError | undefined;
  /** The methods without a reply. */
  readonly ignored = new Set<string>();
  /** The port that the worker gets for port 0. */
  freePort = 4000;
  /** The port for gRPC. Undefined without gRPC. */
  grpcPort: number | undefined;

  constructor(pid: number | undefined) {
    super();
    this.pid = pid;
  }

  send(message: Message): void {
    this.received.push(message);
    const { id, method, argument } = message;
    if (method === undefined || this.ignored.has(method)) return;
    const value = method === 'listen' ? this.#addresses(argument?.ports?.http || this.freePort) : 0;
    const error = method === 'commit' && this.fails ? { ...this.fails, hint: '', statusCode: 500 } : undefined;
    setImmediate(() => this.emit('message', { brezel: 'reply', id, value, ...(error && { error }) }));
    if (method === 'close') setImmediate(() => this.end(0));
  }

  #addresses(port: number) {
    const { grpcPort } = this;
    return { http: `http://127.0.0.1:${port}`, ...(grpcPort && { grpc: `127.0.0.1:${grpcPort}` }) };
  }

  kill(signal: NodeJS.Signals): void {
    setImmediate(() => this.end(null, signal));
  }

  /** Calls `ready` of the primary, as a worker does when it has started. */
  begin(): void {
    this.emit('message', { brezel: 'call', id: 1, method: 'ready' });
  }

  /** Calls `failed` of the primary, as a worker does if it cannot become ready. */
  report(argument: object): void {
    this.emit('message', { brezel: 'call', id: 1, method: 'failed', argument });
  }

  end(code: number | null, signal: NodeJS.Signals | null = null): void {
    this.emit('exit', code, signal);
  }

  /** The names of the methods that the primary has called. */
  get calls(): readonly string[] {
    return this.received.flatMap(({ method }) => method ?? []);
  }
}

const begin = (process: FakeProcess) => void setImmediate(() => process.begin());

interface Setup {
  readonly count?: number;
  /** Creates a process. The index counts all processes. */
  readonly fork?: (index: number) => FakeProcess;
  /** Called with each process. The default lets the process begin. */
  readonly prepare?: (process: FakeProcess, index: number) => void;
  /** The models of the primary. */
  readonly models?: ModelState[];
  readonly closeMs?: number;
  /** Resolves when the change of models in progress ends. */
  readonly changes?: Promise<unknown>;
}

function setup({
  count = 2,
  fork = (index) => new FakeProcess(100 + index),
  prepare = begin,
  models = [{ name: 'film', versions: [], aliases: [] }],
  closeMs = 0,
  changes = Promise.resolve(),
}: Setup = {}) {
  const processes: FakeProcess[] = [];
  const lines: string[] = [];
  const ended: unknown[] = [];
  const clock = new ManualClock();
  let forks = 0;
  const workers = new Workers({
    count,
    ports: { http: 0 },
    secrets: { token: 'secret' },
    closeMs,
    fork: () => {
      const process = fork(forks++);
      processes.push(process);
      prepare(process, processes.length - 1);
      return process as unknown as WorkerProcess;
    },
    methods: {} as never,
    names: () => models.map(({ name }) => name),
    stateOf: (name) => models.find((model) => model.name === name) ?? { name, versions: [], aliases: [] },
    withoutChanges: (work) => changes.then(work),
    exclusively: (work) => changes.then(work),
    ended: (worker) => ended.push(worker.pid),
    clock,
    report: (line) => lines.push(line),
  });
  const readyAgain = () => until(() => workers.ready.length === count);
  /** Advances the clock by the given waits. Each of them ends with the start of a process. */
  const afterWaits = async (...waits: readonly number[]) => {
    for (const wait of waits) {
      const before = forks;
      await clock.untilTimer(wait);
      clock.advance(wait - 1);
      expect(forks).toBe(before);
      clock.advance(1);
      expect(forks).toBe(before + 1);
    }
  };
  return { workers, processes, lines, ended, clock, readyAgain, afterWaits };
}

const portOf = ({ received }: FakeProcess) => received.find(({ method }) => method === 'listen')?.argument?.ports?.http;

describe('workers', () => {
  test('that crash are replaced, later with a wait, and listen on the same port', async () => {
    const { workers, processes, lines, ended, afterWaits, readyAgain } = setup();
    expect(await workers.start()).toEqual({ http: 'http://127.0.0.1:4000' });
    for (const waits of [[], [100], [200]]) {
      processes.at(-1)!.end(null, 'SIGKILL');
      expect(workers.ready).toHaveLength(1);
      await afterWaits(...waits);
      await readyAgain();
    }
    expect([processes.length, ended]).toEqual([5, [101, 102, 103]]);
    expect(lines[0]).toBe('worker 101 ended (SIGKILL); another worker starts');
    expect(portOf(processes.at(-1)!)).toBe(0); // shares the socket of the living worker
    processes[0]!.end(1);
    processes[4]!.end(1);
    await afterWaits(400, 400);
    await readyAgain();
    expect(portOf(processes.at(-1)!)).toBe(4000); // the socket of port 0 is closed
    await workers.close();
    expect(workers.running).toEqual([]);
  });

  test.each([
    // The socket of port 0 was closed meanwhile.
    ['HTTP', { freePort: 5000 }, 'http://127.0.0.1:5000, not on http://127.0.0.1:4000'],
    ['gRPC', { grpcPort: 6001 }, '127.0.0.1:6001 for gRPC, not on 127.0.0.1:6000'],
  ])('that listen on another %s port than the server are replaced', async (_, ports, expected) => {
    const { workers, processes, lines, afterWaits, readyAgain } = setup({
      prepare: (process, index) => {
        Object.assign(process, { grpcPort: 6000 }, index === 2 && ports);
        begin(process);
      },
    });
    await workers.start();
    processes[1]!.end(1);
    await afterWaits(100);
    await readyAgain();
    expect(lines[1]).toContain(`the process listens on ${expected}`);
    await workers.close();
  });

  test('load models only between changes, each in the state after the changes', async () => {
    const models: ModelState[] = ['film', 'gone'].map((name) => ({ name, versions: [], aliases: [] }));
    let endChange: () => void = () => undefined;
    const changes = new Promise<void>((resolve) => {
      endChange = resolve;
    });
    const { workers, processes } = setup({ count: 1, models, changes });
    const started = workers.start();
    await new Promise(setImmediate); // `begin` has run
    await new Promise(setImmediate);
    expect(processes[0]!.calls).toEqual([]);
    const aliases = [{ alias: 'film:default', version: '2' }];
    models.splice(0, 2, { name: 'film', versions: [], aliases });
    endChange();
    await started;
    const commits = processes[0]!.received.filter(({ method }) => method === 'commit');
    expect(commits.map(({ argument }) => argument)).toEqual([
      { name: 'film', versions: [], aliases },
      { name: 'gone', versions: [], aliases: [] },
    ]);
    await workers.close();
  });

  test('get the secrets of the primary when they listen', async () => {
    const { workers, processes } = setup();
    await workers.start();
    expect(processes[0]!.received.find(({ method }) => method === 'listen')?.argument?.secrets).toEqual({
      token: 'secret',
    });
    await workers.close();
  });
});

describe('workers that do not start', () => {
  test('end the server with their error', async () => {
    const { workers } = setup({
      prepare: (process) => {
        process.fails = { code: 'EADDRINUSE', message: 'address in use' };
        begin(process);
      },
    });
    await expect(workers.start()).rejects.toMatchObject({ code: 'EADDRINUSE', message: 'address in use' });
    await workers.close();
  });

  test('end the server with the error that they report before they are ready', async () => {
    const { workers } = setup({
      prepare: (process) => setImmediate(() => process.report({ code: 'ERR_NATIVE', message: 'no addon' })),
    });
    await expect(workers.start()).rejects.toMatchObject({ code: 'ERR_NATIVE', message: 'no addon' });
    await workers.close();
    expect(workers.running).toEqual([]);
  });

  test('end the server if they exit', async () => {
    const { workers } = setup({ prepare: (process) => setImmediate(() => process.end(1)) });
    await expect(workers.start()).rejects.toMatchObject({
      code: 'ERR_CLI_WORKERS',
      details: { received: 'exit code 1' },
    });
    await workers.close();
  });

  test.each([
    ['no process', () => new FakeProcess(undefined), 'spawn EAGAIN'],
    [
      'an error of fork',
      () => {
        throw new Error('spawn ENOMEM');
      },
      'spawn ENOMEM',
    ],
  ])('end the server: %s', async (_, fork, message) => {
    const { workers } = setup({
      fork,
      prepare: (process) => setImmediate(() => process.emit('error', new Error('spawn EAGAIN'))),
    });
    await expect(workers.start()).rejects.toMatchObject({ code: 'ERR_CLI_WORKERS', details: { received: message } });
    await workers.close();
  });

  test('end the server after five failures in a row without a ready worker, with the reason', async () => {
    const { workers, processes, lines, afterWaits } = setup({
      count: 1,
      prepare: (process, index) =>
        index === 0 ? begin(process) : setImmediate(() => process.report({ code: 'ERR_NATIVE', message: 'no addon' })),
    });
    await workers.start();
    processes[0]!.end(null, 'SIGSEGV');
    await afterWaits(100, 200, 400, 800);
    await expect(workers.failed).rejects.toMatchObject({
      code: 'ERR_CLI_WORKERS',
      message: 'the processes of the server do not start: 5 failed starts in a row, the last because: no addon',
      cause: { code: 'ERR_NATIVE' },
    });
    expect(lines).toHaveLength(5);
    expect(lines[1]).toBe(
      'worker 101 did not start (no addon); another worker starts in 100 ms; 0 of 1 workers answer requests',
    );
    await workers.close();
  });

  test('are tried again while another worker is ready', async () => {
    let isBroken = true;
    const { workers, processes, lines, afterWaits, readyAgain } = setup({
      prepare: (process, index) => {
        if (index < 2 || !isBroken) begin(process);
        else setImmediate(() => process.end(1));
      },
    });
    await workers.start();
    processes[0]!.end(null, 'SIGSEGV');
    await afterWaits(100, 200, 400, 800, 1600, 3200, 6400, 10_000);
    expect(lines.at(-1)).toMatch(
      /^worker 1\d\d did not start \(exit code 1\); another worker starts in 10000 ms; 1 of 2/,
    );
    isBroken = false;
    await afterWaits(10_000);
    await readyAgain();
    await workers.close();
    expect(processes[1]!.calls).toEqual(['commit', 'listen', 'close']);
  });

  test('do not end the server because several workers ended at once', async () => {
    const { workers, processes, clock } = setup({
      count: 6,
      prepare: (process, index) => (index < 6 || index >= 18 ? begin(process) : setImmediate(() => process.end(1))),
    });
    await workers.start();
    for (const process of processes.slice(0, 6)) process.end(null, 'SIGKILL');
    const failed = vi.fn();
    workers.failed.catch(failed);
    while (workers.ready.length < 6 && failed.mock.calls.length === 0) {
      for (let turn = 0; turn < 10; turn++) await new Promise(setImmediate);
      clock.advance(100);
    }
    expect([workers.ready.length, failed.mock.calls, processes.length]).toEqual([6, [], 24]);
    await workers.close();
  });

  test('without a process are tried again as after an exit', async () => {
    const { workers, processes, lines, afterWaits, readyAgain } = setup({
      fork: (index) => {
        if (index === 3) throw new Error('spawn ENOMEM');
        return new FakeProcess(index === 2 ? undefined : 100 + index);
      },
      prepare: (process) =>
        process.pid === undefined
          ? setImmediate(() => process.emit('error', new Error('spawn EAGAIN')))
          : begin(process),
    });
    await workers.start();
    processes[0]!.emit('error', new Error('a signal that cannot be sent')); // the process runs
    processes[0]!.end(null, 'SIGSEGV');
    await afterWaits(100, 200);
    await readyAgain();
    expect(lines.slice(1)).toEqual([
      'a worker did not start (spawn EAGAIN); another worker starts in 100 ms; 1 of 2 workers answer requests',
      'a worker did not start (spawn ENOMEM); another worker starts in 200 ms; 1 of 2 workers answer requests',
    ]);
    await workers.close();
  });
});

describe('workers that do not answer', () => {
  test.each(['the start of the process', 'commit', 'listen'])('are killed and replaced: %s', async (step) => {
    const { workers, processes, lines, clock, afterWaits, readyAgain } = setup({
      prepare: (process, index) => {
        if (index === 2) process.ignored.add(step);
        if (index !== 2 || step === 'commit' || step === 'listen') begin(process);
      },
    });
    await workers.start();
    processes[0]!.end(null, 'SIGSEGV');
    await until(() => processes.length === 3 && (processes[2]!.calls.includes(step) || step.startsWith('the')));
    clock.advance(STEP_MS - 1);
    expect(lines).toHaveLength(1);
    clock.advance(1);
    await until(() => lines.length === 2);
    const problem = step.startsWith('the') ? 'did not start' : `did not reply to "${step}"`;
    expect(lines[1]).toContain(`worker 102 did not start (the process ${problem} within 90 s)`);
    await afterWaits(100);
    await readyAgain();
    expect(clock.timers).toBe(0); // no limit is left for the workers that answered
    await workers.close();
  });

  test('are killed during a change', async () => {
    const { workers, clock, lines, readyAgain } = setup({
      prepare: (process) => {
        process.ignored.add('prepare');
        begin(process);
      },
    });
    await workers.start();
    const [slow] = workers.ready;
    const step = slow!.step('prepare', []);
    clock.advance(STEP_MS);
    await expect(step).rejects.toMatchObject({ code: 'ERR_CLI_WORKER' });
    await readyAgain();
    expect(lines).toEqual([
      'worker 100 ended (the process did not reply to "prepare" within 90 s); another worker starts',
    ]);
    await workers.close();
  });
});

describe('closing workers', () => {
  test('kills workers that have no clients yet, and lets the others answer', async () => {
    const { workers, processes, clock } = setup({
      count: 3,
      prepare: (process, index) => {
        if (index === 1) process.ignored.add('listen');
        if (index < 2) begin(process);
      },
    });
    const started = workers.start();
    await until(() => processes[1]?.calls.includes('listen') === true && workers.ready.length === 1);
    await workers.close();
    expect(processes.map(({ calls }) => calls.at(-1))).toEqual(['close', 'close', undefined]);
    expect(clock.timers).toBe(0);
    expect(await Promise.race([started, Promise.resolve('not started')])).toBe('not started');
  });

  test('starts no worker that was planned', async () => {
    const { workers, processes, clock } = setup({
      prepare: (process, index) => (index < 2 ? begin(process) : setImmediate(() => process.end(1))),
    });
    await workers.start();
    processes[0]!.end(1);
    await clock.untilTimer(100);
    await workers.close();
    clock.advance(10_000);
    expect([processes.length, clock.timers]).toEqual([3, 0]);
  });

  test('waits no longer than a timer of Node can', async () => {
    const { workers, processes, clock } = setup({
      closeMs: 2 * (2 ** 31 - 1),
      prepare: (process) => {
        process.ignored.add('close');
        begin(process);
      },
    });
    await workers.start();
    const closed = workers.close();
    await until(() => processes.every(({ calls }) => calls.includes('close')));
    clock.advance(2 ** 31 - 2);
    expect(clock.timers).toBe(1);
    clock.advance(1);
    await closed;
  });

  test('kills workers that do not end in time', async () => {
    const { workers, processes, clock, ended } = setup({
      prepare: (process) => {
        process.ignored.add('close');
        begin(process);
      },
    });
    await workers.start();
    const closed = workers.close();
    await until(() => processes.every(({ calls }) => calls.includes('close')));
    clock.advance(5000);
    await closed;
    expect(ended).toEqual([100, 101]);
  });
});
