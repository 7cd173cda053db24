import type { StagePlacement, StageShare } from './device.js';

/** Where a part of a plan runs that was cut for a device. */
export type PartPlacement = Omit<StagePlacement, 'stage' | 'steps' | 'joined'>;

/**
 * Where each stage of a plan runs, from where the parts run into which it was cut.
 *
 * @param stages how many there are.
 * @param shares what each part has of them.
 */
export function stagePlacements<P extends PartPlacement>(
  stages: number,
  shares: readonly (readonly StageShare[])[],
  parts: readonly P[],
): (P & StagePlacement)[] {
  return Array.from({ length: stages }, (_, stage) => {
    const mine = parts.flatMap((part, at) => {
      const share = shares[at]!.find((one) => one.stage === stage);
      return share === undefined ? [] : [{ part, share, all: shares[at]! }];
    });
    const onDevice = mine.filter(({ part }) => part.device === 'gpu');
    const told = onDevice[0] ?? mine.find(({ part }) => part.fromRows !== undefined) ?? mine[0]!;
    const joined = onDevice.flatMap(({ all }) => all.map((one) => one.stage)).filter((one) => one !== stage);
    const steps = onDevice.flatMap(({ share }) => share.steps);
    return {
      ...told.part,
      stage,
      transferBytes: onDevice.reduce(
        (sum, { part, all }) => sum + (all[0]!.stage === stage ? part.transferBytes : 0),
        0,
      ),
      ...(onDevice.length > 0 && mine.length > 1 && { steps }),
      ...(joined.length > 0 && { joined: [...new Set(joined)] }),
    };
  });
}
