import type { CompiledPlan, ParameterId, PhysicalStage } from '@brezel/core';

/** The number and the bytes of the parameters that both plans have, or that only one plan has. */
export interface Part {
  readonly objects: number;
  readonly bytes: number;
}

export interface StageFacts {
  /** The first digits of the stage's key. */
  readonly key: string;
  readonly role: PhysicalStage['role'];
  readonly operators: readonly string[];
  readonly parameterBytes: number;
}

/**
 * The stages and parameters that both plans have, and the stages and parameters that only one plan
 * has. Two stages are the same if their operators and parameters are equal.
 */
export interface PlanDiff {
  readonly parameters: { readonly shared: Part; readonly onlyA: Part; readonly onlyB: Part };
  readonly stages: {
    readonly shared: readonly StageFacts[];
    readonly onlyA: readonly StageFacts[];
    readonly onlyB: readonly StageFacts[];
  };
}

const SHOWN_KEY_DIGITS = 8;

export function diffPlans(a: CompiledPlan, b: CompiledPlan, bytesOf: (id: ParameterId) => number): PlanDiff {
  const total = (ids: Iterable<ParameterId>) => [...ids].reduce((sum, id) => sum + bytesOf(id), 0);
  const part = (ids: readonly ParameterId[]): Part => ({ objects: ids.length, bytes: total(ids) });
  const facts = (stage: PhysicalStage): StageFacts => ({
    key: stage.key.slice(0, SHOWN_KEY_DIGITS),
    role: stage.role,
    operators: stage.steps.map((step) => step.operator),
    parameterBytes: total(
      new Set([
        ...stage.steps.flatMap((step) => Object.values(step.parameters)),
        ...(stage.calls ?? []).flatMap((call) => call.parameters),
      ]),
    ),
  });
  const [idsOfA, idsOfB] = [new Set(a.parameters), new Set(b.parameters)];
  const [stagesOfA, stagesOfB] = [a, b].map(
    (plan) => new Map(plan.stages.map(({ stage }) => [stage.key, stage] as const)),
  ) as [Map<string, PhysicalStage>, Map<string, PhysicalStage>];
  const stages = (from: ReadonlyMap<string, PhysicalStage>, isWanted: (key: string) => boolean) =>
    [...from].filter(([key]) => isWanted(key)).map(([, stage]) => facts(stage));
  return {
    parameters: {
      shared: part([...idsOfA].filter((id) => idsOfB.has(id))),
      onlyA: part([...idsOfA].filter((id) => !idsOfB.has(id))),
      onlyB: part([...idsOfB].filter((id) => !idsOfA.has(id))),
    },
    stages: {
      shared: stages(stagesOfA, (key) => stagesOfB.has(key)),
      onlyA: stages(stagesOfA, (key) => !stagesOfB.has(key)),
      onlyB: stages(stagesOfB, (key) => !stagesOfA.has(key)),
    },
  };
}
