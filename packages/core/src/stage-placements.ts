import type { StagePlacement, StageShare } from './device.js';

/** Where one stage of a cut plan runs, without the indices of the original plan. */
export type PartPlacement = Omit<StagePlacement, 'stage' | 'steps' | 'joined'>;

/**
 * Returns where each stage of a plan runs. `parts` contains where each stage of the cut plan runs,
 * and `shares` maps the stages of the cut plan to the stages of the plan.
 *
 * @param stages number of stages in the plan.
 * @param shares for each stage of the cut plan, the steps that it takes from stages of the plan.
 */
export function stagePlacements<P extends PartPlacement>(
  stages: number,
  shares: readonly (readonly StageShare[])[],
  parts: readonly P[],
): (P & StagePlacement)[] {
  return Array.from({ length: stages }, (_, stage) => {
    const partsOfStage = parts.flatMap((part, index) => {
      const share = shares[index]!.find((candidate) => candidate.stage === stage);
      return share === undefined ? [] : [{ part, share, all: shares[index]! }];
    });
    const onDevice = partsOfStage.filter(({ part }) => part.device === 'gpu');
    const main = onDevice[0] ?? partsOfStage.find(({ part }) => part.fromRows !== undefined) ?? partsOfStage[0]!;
    const joined = onDevice.flatMap(({ all }) => all.map((share) => share.stage)).filter((other) => other !== stage);
    const steps = onDevice.flatMap(({ share }) => share.steps);
    return {
      ...main.part,
      stage,
      transferBytes: onDevice.reduce(
        (sum, { part, all }) => sum + (all[0]!.stage === stage ? part.transferBytes : 0),
        0,
      ),
      ...(onDevice.length > 0 && partsOfStage.length > 1 && { steps }),
      ...(joined.length > 0 && { joined: [...new Set(joined)] }),
    };
  });
}
