import type { StagePlacement } from '@brezel/core';
import { count, printable, printBytes } from './words.js';

/**
 * Where a stage runs, in printable form. If the device runs only some operators of the stage,
 * `values` contains the names of their results. `joined` contains the numbers of the stages that
 * run in the same call of the device.
 */
export interface PlacementView extends Omit<StagePlacement, 'stage' | 'steps'> {
  readonly values?: readonly string[];
}

/**
 * Returns the printable form of a placement. Omits `fromRows` if the device is never faster,
 * because JSON cannot contain infinity.
 */
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

/**
 * Describes where a stage runs, for example `gpu (webgpu), 1.2 KB transferred`. If several stages
 * run in one call, the text of the first stage contains the bytes of the whole call.
 */
export function placeWords({ device, provider, transferBytes, values, joined }: PlacementView): string {
  if (device === 'cpu') return 'cpu';
  const by = provider === undefined ? '' : ` (${printable(provider)})`;
  const what = values === undefined ? '' : ` for ${values.join(', ')}`;
  const bytes = transferBytes === 0 && joined !== undefined ? '' : `, ${printBytes(transferBytes)} transferred`;
  const others =
    joined === undefined ? '' : `, in one call with ${joined.length > 1 ? 'stages' : 'stage'} ${joined.join(', ')}`;
  return `${device}${by}${what}${bytes}${others}`;
}

/** Describes where a stage runs and why, and the number of rows from which the device is faster. */
export function placementWords(placement: PlacementView): string {
  const { why, fromRows } = placement;
  const crossover = fromRows === undefined ? '' : `; faster from ${count(fromRows, 'row')}`;
  return `${placeWords(placement)}: ${printable(why)}${crossover}`;
}
