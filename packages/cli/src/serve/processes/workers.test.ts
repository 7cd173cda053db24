import { EventEmitter } from 'node:events';
import { describe, expect, test } from 'vitest';
import { until } from '../../../../../testing/until.js';
import type { WorkerProcess } from './worker-link.js';
import { Workers } from './workers.js';

interface Message {
  readonly id: number;
  /** Undefined in a reply. */
  readonly method?: string;
  readonly argument?: { readonly port?: number };
}

/** A worker process that runs no code: the test chooses when it starts and when it ends. */
class FakeProcess extends EventEmitter {
  readonly pid: number;
  readonly received: Message[] = [];
  /** The error of `start`. Undefined if the worker starts. */
  fails: { readonly code: string; readonly message: string } | undefined;

  constructor(pid: number) {
    super();
    this.pid = pid;
  }

  send(message: Message): void {
    this.received.push(message);
    const { id, method, argument } = message;
    const value = method === 'listen' ? `http://127.0.0.1:${argument?.port || 4000}` : undefined;
    const error = method === 'start' && this.fails ? { ...this.fails, hint: '', statusCode: 500 } : undefined;
    setImmediate(() => this.emit('message', { brezel: 'reply', id, value, ...(error && { error }) }));
    if (method === 'close') setImmediate(() => this.end(0));
  }

  kill(signal: NodeJS.Signals): void {
    setImmediate(() => this.end(null, signal));
  }

  /** Calls `ready` of the primary, as a worker does when it has started. */
  begin(): void {
    this.emit('message', { brezel: 'call', id: 1, method: 'ready' });
  }

  end(code: number | null, signal: NodeJS.Signals | null = null): void {
    this.emit('exit', code, signal);
  }
}

function setup(
  prepare: (process: FakeProcess, index: number) => void = (process) => setImmediate(() => process.begin()),
) {
  const processes: FakeProcess[] = [];
  const waits: number[] = [];
  const lines: string[] = [];
  const ended: unknown[] = [];
  const workers = new Workers({
    count: 2,
    port: 0,
    drainMs: 0,
    fork: () => {
      const process = new FakeProcess(100 + processes.length);
      processes.push(process);
      prepare(process, processes.length - 1);
      return process as unknown as WorkerProcess;
    },
    methods: {} as never,
    models: () => [],
    exclusively: (work) => work(),
    ended: (worker) => ended.push(worker.pid),
    wait: async (milliseconds) => void waits.push(milliseconds),
    report: (line) => lines.push(line),
  });
  return { workers, processes, waits, lines, ended };
}

describe('workers', () => {
  test('that crash are replaced, later with a wait, and listen on the same port', async () => {
    const { workers, processes, waits, lines, ended } = setup();
    expect(await workers.start()).toBe('http://127.0.0.1:4000');
    for (let crash = 0; crash < 3; crash++) {
      processes.at(-1)!.end(null, 'SIGKILL');
      expect(workers.ready).toHaveLength(1);
      await until(() => workers.ready.length === 2);
    }
    expect([processes.length, waits, ended]).toEqual([5, [100, 200], [101, 102, 103]]);
    expect(lines[0]).toBe('worker 101 ended (SIGKILL); another worker starts');
    const ports = () => processes.at(-1)!.received.find(({ method }) => method === 'listen')?.argument?.port;
    expect(ports()).toBe(0); // shares the socket of the living worker
    processes[0]!.end(1);
    processes[4]!.end(1);
    await until(() => workers.ready.length === 2);
    expect(ports()).toBe(4000); // the socket of port 0 is closed
    await workers.close();
    expect(workers.running).toEqual([]);
  });

  test('that cannot start end the server with their error', async () => {
    const { workers } = setup((process) => {
      process.fails = { code: 'EADDRINUSE', message: 'address in use' };
      setImmediate(() => process.begin());
    });
    await expect(workers.start()).rejects.toMatchObject({ code: 'EADDRINUSE', message: 'address in use' });
    await workers.close();
  });

  test('that end before they listen end the server', async () => {
    const { workers } = setup((process) => setImmediate(() => process.end(1)));
    await expect(workers.start()).rejects.toMatchObject({
      code: 'ERR_CLI_WORKERS',
      details: { received: 'exit code 1' },
    });
    await workers.close();
  });

  test('whose replacement fails five times in a row end the server', async () => {
    const { workers, processes, waits } = setup((process, index) =>
      setImmediate(() => (index < 2 ? process.begin() : process.end(1))),
    );
    await workers.start();
    processes[0]!.end(null, 'SIGSEGV');
    await expect(workers.failed).rejects.toMatchObject({ code: 'ERR_CLI_WORKERS' });
    expect([processes.length, waits]).toEqual([7, [100, 200, 400, 800]]);
    await workers.close();
    expect(processes[1]!.received.flatMap(({ method }) => method ?? [])).toEqual(['start', 'listen', 'close']);
  });
});
