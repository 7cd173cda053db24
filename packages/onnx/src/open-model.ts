import type { WireFunctions } from '@brezel/object-store';
import { withDenseConstants } from './dense-constants.js';
import { type ExternalData, withExternalData } from './external-data.js';
import { ImportBudget } from './import-budget.js';
import { type InputShapes, withInputShapes } from './input-shapes.js';
import { checkedLimits, type ImportLimits } from './limits.js';
import { readModel } from './proto/read.js';
import type { ModelProto } from './proto/schema.js';
import { withSortedNodes } from './sorted-nodes.js';

/**
 * A model that is prepared for every kind of conversion: external data is loaded, sparse constants
 * are dense, and nodes are in execution order.
 */
export interface OpenedModel {
  readonly model: ModelProto;
  readonly fileBytes: number;
  /** The budget that all conversions of this model share. */
  readonly budget: ImportBudget;
}

export interface OpenOptions {
  readonly limits?: Partial<ImportLimits> | undefined;
  readonly externalData?: ExternalData | undefined;
  readonly shapes?: InputShapes | undefined;
}

/**
 * Reads a file and prepares its graph for conversion.
 *
 * @param wire functions of the addon that read long lists (`store.memory.wire`); undefined without
 * an addon.
 * @param progress called with the number of bytes read so far, a hundred times at most.
 */
export function openModel(
  bytes: Uint8Array,
  { limits: wanted, externalData, shapes }: OpenOptions,
  wire: WireFunctions | undefined,
  progress?: (done: number, total: number, phase: 'read') => void,
): OpenedModel {
  const limits = checkedLimits(wanted);
  const onRead = progress && ((done: number) => progress(done, bytes.length, 'read'));
  const read = readModel(bytes, limits, onRead, wire);
  const budget = new ImportBudget(limits, bytes.length);
  const own = externalData && counted(externalData, budget);
  const model = withSortedNodes(withDenseConstants(withExternalData(read, own), budget));
  return { model: withInputShapes(model, shapes), fileBytes: bytes.length, budget };
}

/**
 * Returns a function that reads external files as `externalData` does, and increases the import
 * budget by the size of each file. A file with several names counts once.
 */
function counted(externalData: ExternalData, budget: ImportBudget): ExternalData {
  const files = new Set<Uint8Array>();
  return (location) => {
    const bytes = externalData(location);
    if (!files.has(bytes)) budget.allow(bytes.length);
    files.add(bytes);
    return bytes;
  };
}
