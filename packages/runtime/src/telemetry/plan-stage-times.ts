import type { CatalogStage } from '../plans/catalog.js';
import { type ClockPlace, StageClocks } from './stage-clocks.js';
import { type StageEngine, type StageLatency, StageTimes } from './stage-times.js';

/**
 * Times of the stages of one plan in all its forms: the compiled plan, the plan with device stages,
 * and merged plans that contain it.
 */
export class PlanStageTimes {
  readonly sampleEvery: number;
  /**
   * The times by stage and engine: first the stages of the compiled plan in order, then the stages
   * of the plan for a device.
   */
  readonly #times = new Map<string, StageTimes>();

  constructor(sampleEvery: number) {
    this.sampleEvery = sampleEvery;
  }

  of(held: CatalogStage, engine: StageEngine = held.stageHandle === undefined ? 'javascript' : 'native'): StageTimes {
    const key = `${held.stage.key} ${engine}`;
    const known = this.#times.get(key) ?? new StageTimes(held, engine);
    this.#times.set(key, known);
    return known;
  }

  /** Returns clocks for the compiled plan. */
  clocks(stages: readonly CatalogStage[]): StageClocks {
    return new StageClocks(
      stages.map((held) => ({ times: [this.of(held)] })),
      this.sampleEvery,
    );
  }

  /**
   * Returns clocks for the plan with device stages. A lowered stage has two clocks: one for the
   * CPU, in the order of stages, and one for the device, after the clocks of all stages.
   */
  deviceClocks(stages: readonly CatalogStage[], lowered: readonly number[]): StageClocks {
    const onCpu = stages.map((held, at): ClockPlace => ({ times: [this.of(held)], mayRest: lowered.includes(at) }));
    const onDevice = lowered.map((at): ClockPlace => ({ times: [this.of(stages[at]!, 'device')], mayRest: true }));
    return new StageClocks([...onCpu, ...onDevice], this.sampleEvery);
  }

  stats(): StageLatency[] {
    return [...this.#times.values()].flatMap((times) => times.stats());
  }
}
