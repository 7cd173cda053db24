import type { MetricValues, ServerStatistics } from '@brezel/http';
import type { WorkerLink } from './worker-link.js';

type Http = Pick<
  typeof import('@brezel/http'),
  'addStatistics' | 'addMetrics' | 'cumulative' | 'metricsText' | 'processMemory'
>;

/** If a worker does not reply within this many milliseconds, the totals use its last reply. */
const REPLY_MS = 5000;
/** The metrics of ended workers are merged when more than this many workers have ended. */
const MOST_ENDED = 8;

interface Reading {
  statistics?: ServerStatistics;
  metrics?: readonly MetricValues[];
}

/**
 * Adds the numbers of all workers. The totals also contain the last known counters of workers that
 * have ended, so that no total decreases.
 */
export class Totals {
  readonly #http: Http;
  readonly #workers: () => readonly WorkerLink[];
  readonly #readings = new Map<WorkerLink, Reading>();
  #endedStatistics: ServerStatistics | undefined;
  #endedMetrics: (readonly MetricValues[])[] = [];
  /** True while `#merge` runs. Two merges at once would count the same metrics twice. */
  #isMerging = false;

  constructor(http: Http, workers: () => readonly WorkerLink[]) {
    this.#http = http;
    this.#workers = workers;
  }

  async statistics(): Promise<ServerStatistics> {
    const workers = this.#workers();
    await Promise.all(workers.map((worker) => this.#read(worker, 'statistics')));
    const ended = this.#endedStatistics;
    const read = workers.flatMap((worker) => this.#readings.get(worker)?.statistics ?? []);
    const total = this.#http.addStatistics(read, ended === undefined ? [] : [ended]);
    if (ended !== undefined && read.length > 0) this.#endedStatistics = withoutRemoved(ended, total);
    const memory = await this.#http.processMemory();
    const primary = { pid: process.pid, role: 'primary' as const, uptimeSeconds: process.uptime(), ...memory };
    return { ...total, processes: [primary, ...total.processes] };
  }

  /** Returns the metrics of all workers in the format of Prometheus. */
  async metrics(): Promise<string> {
    const workers = this.#workers();
    await Promise.all(workers.map((worker) => this.#read(worker, 'metrics')));
    const read = workers.flatMap((worker) => {
      const metrics = this.#readings.get(worker)?.metrics;
      return metrics === undefined ? [] : [metrics];
    });
    return this.#http.metricsText([...read, ...this.#endedMetrics]);
  }

  /** Adds the counters of an ended worker to the totals. */
  end(worker: WorkerLink): void {
    const { statistics, metrics } = this.#readings.get(worker) ?? {};
    this.#readings.delete(worker);
    const { addStatistics, cumulative } = this.#http;
    if (statistics !== undefined) {
      const total = addStatistics([statistics, ...(this.#endedStatistics ? [this.#endedStatistics] : [])]);
      this.#endedStatistics = { ...total, processes: [] };
    }
    if (metrics === undefined) return;
    this.#endedMetrics.push(cumulative(metrics));
    if (!this.#isMerging) void this.#merge();
  }

  /**
   * Merges the metrics of all ended workers, so that they take no more memory than the metrics of
   * one worker.
   */
  async #merge(): Promise<void> {
    this.#isMerging = true;
    try {
      while (this.#endedMetrics.length > MOST_ENDED) {
        const merged = [...this.#endedMetrics];
        const total = await this.#http.addMetrics(merged);
        // More workers may have ended meanwhile.
        this.#endedMetrics = [total, ...this.#endedMetrics.slice(merged.length)];
      }
    } catch {
      // The metrics stay in the list. The next worker that ends starts another merge.
    } finally {
      this.#isMerging = false;
    }
  }

  async #read(worker: WorkerLink, kind: keyof Reading): Promise<void> {
    const reading = this.#readings.get(worker) ?? {};
    this.#readings.set(worker, reading);
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<undefined>((resolve) => {
      timer = setTimeout(resolve, REPLY_MS, undefined);
    });
    try {
      const value = await Promise.race([worker.call(kind), late]);
      if (value !== undefined) Object.assign(reading, { [kind]: value });
    } catch {
      // The worker has ended. Its last reading counts.
    } finally {
      clearTimeout(timer);
    }
  }
}

/** Removes the numbers of versions and aliases that no worker has. */
function withoutRemoved(ended: ServerStatistics, running: ServerStatistics): ServerStatistics {
  const versions = new Set(running.versions.map(({ version }) => version));
  const aliases = new Set(running.aliases.map(({ alias }) => alias));
  return {
    ...ended,
    versions: ended.versions.filter(({ version }) => versions.has(version)),
    aliases: ended.aliases.filter(({ alias }) => aliases.has(alias)),
  };
}
