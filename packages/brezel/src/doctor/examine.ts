import type { Backend, BackendReport } from '@brezel/core';
import { ownBackends } from '../backends.js';
import { version } from '../version.js';
import { wasmObstacle } from '../wasm/thread-kernels.js';
import { loadNative } from '../wire.js';
import type { PartReport } from './part-report.js';
import { tryCore } from './try-core.js';
import { tryLowering } from './try-lowering.js';

/** The report of `examine`. */
export interface Examination {
  readonly version: string;
  readonly platform: string;
  /** True if Brezel can compile and run programs: in the addon, in WebAssembly or in JavaScript. */
  readonly works: boolean;
  readonly node: PartReport;
  readonly addon: PartReport & { readonly instructionSets: readonly string[] };
  /** The kernels in WebAssembly, which run plans without the addon. */
  readonly wasm: PartReport;
  readonly core: PartReport;
  readonly workers: PartReport;
  readonly backends: readonly BackendReport[];
  /** Whether dense stages can run on a device, for plans with `device: 'gpu'` or `'auto'`. */
  readonly lowering: PartReport;
}

const OLDEST_NODE = 20;

/**
 * Tests the installation: the addon, the kernels in WebAssembly, a small program, and each
 * execution provider of each backend. Each provider runs a tiny model in a separate process.
 *
 * A failed part is reported, not thrown. The call takes up to some seconds.
 *
 * @param backends backends to test. Default: the built-in ones.
 * @example
 * const { works, backends } = await examine();
 */
export async function examine(backends: readonly Backend[] = ownBackends()): Promise<Examination> {
  const node = examineNode(process.versions.node);
  const core = await tryCore();
  const { version: piscina } = await import('piscina');
  const reports = await Promise.all(backends.map((backend) => backend.probe()));
  return {
    version: version(),
    platform: `${process.platform} ${process.arch}`,
    works: node.works && core.works,
    node,
    addon: examineAddon(),
    wasm: examineWasm(),
    core,
    workers: { works: true, what: `piscina ${piscina}` },
    backends: reports,
    lowering: await tryLowering(backends, reports),
  };
}

/**
 * Reports whether Brezel supports the version of Node.js.
 *
 * @param found `process.versions.node`.
 */
export function examineNode(found: string): PartReport {
  const what = `v${found}`;
  if (Number.parseInt(found, 10) >= OLDEST_NODE) return { works: true, what };
  return {
    works: false,
    what,
    why: `Brezel needs Node.js ${OLDEST_NODE} or newer`,
    remedy: 'install a newer Node.js: https://nodejs.org',
  };
}

function examineAddon(): Examination['addon'] {
  const { addon, error } = loadNative();
  if (addon !== undefined) {
    const instructionSets = addon.isas();
    return { works: true, what: instructionSets.at(-1)!, instructionSets };
  }
  return {
    works: false,
    what: 'not loaded: Brezel runs in WebAssembly, about 2 times slower',
    why: error!.message, // the message also says what to do
    instructionSets: [],
  };
}

function examineWasm(): PartReport {
  const why = wasmObstacle();
  if (why === undefined) return { works: true, what: 'runs plans without the addon' };
  return { works: false, what: 'not available', why, remedy: 'run Node without --jitless' };
}
