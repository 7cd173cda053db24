import type { StagePlacement } from '@brezel/core';
import { count, printable, printBytes } from './words.js';

/** Where a stage runs. Where a device runs some operators of it alone, `values` are theirs; `joined` are numbers of stages in the same call. */
export interface PlacementView extends Omit<StagePlacement, 'stage' | 'steps'> {
  readonly values?: readonly string[];
}

/** What is told of a placement. JSON has no infinity: a stage that is never sooner elsewhere has no rows from which it is. */
export function viewPlacement(
  placement: StagePlacement,
  { steps: named }: { readonly steps: readonly { readonly value: string }[] },
): PlacementView {
  const { device, transferBytes, why, fromRows, provider, steps, joined } = placement;
  const isSooner = fromRows !== undefined && Number.isFinite(fromRows);
  return {
    device,
    transferBytes,
    why,
    ...(isSooner && { fromRows }),
    ...(provider !== undefined && { provider }),
    ...(steps && { values: steps.map((step) => named[step]!.value) }),
    ...(joined && { joined: joined.map((stage) => stage + 1) }),
  };
}

/** `gpu (webgpu), 1.2 KB there and back`: where a stage runs, without the reason. What crosses with an earlier stage is told there. */
export function placeWords({ device, provider, transferBytes, values, joined }: PlacementView): string {
  if (device === 'cpu') return 'cpu';
  const by = provider === undefined ? '' : ` (${printable(provider)})`;
  const what = values === undefined ? '' : ` for ${values.join(', ')}`;
  const bytes = transferBytes === 0 && joined !== undefined ? '' : `, ${printBytes(transferBytes)} there and back`;
  const others =
    joined === undefined ? '' : `, in one call with ${joined.length > 1 ? 'stages' : 'stage'} ${joined.join(', ')}`;
  return `${device}${by}${what}${bytes}${others}`;
}

/** The same with the reason, and from how many rows on the device is worth the way. */
export function placementWords(placement: PlacementView): string {
  const { why, fromRows } = placement;
  const crossover = fromRows === undefined ? '' : `; sooner there from ${count(fromRows, 'row')} on`;
  return `${placeWords(placement)}: ${printable(why)}${crossover}`;
}
