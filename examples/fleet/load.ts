import type { Fleet, ModelFile } from './fleet.js';
import { type Cost, costOf } from './measure.js';

/**
 * A fleet and the cost of its models: `first` is the cost of loading the first model, `others` is
 * the total cost of loading all other models.
 */
export interface LoadedFleet<F extends Fleet> {
  readonly fleet: F;
  readonly models: number;
  readonly first: Cost;
  readonly others: Cost;
}

export async function load<F extends Fleet>(fleet: F, [file, ...files]: readonly ModelFile[]): Promise<LoadedFleet<F>> {
  const first = await costOf(() => fleet.add(file!));
  const others = await costOf(async () => {
    for (const other of files) await fleet.add(other);
  });
  return { fleet, models: files.length + 1, first, others };
}
