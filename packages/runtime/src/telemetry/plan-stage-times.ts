import type { CatalogStage } from '../plans/catalog.js';
import { type ClockPlace, StageClocks } from './stage-clocks.js';
import { type StageEngine, type StageLatency, StageTimes } from './stage-times.js';

/**
 * The times of the stages of one plan. A plan can run in several forms: as compiled, with device
 * stages, or as a part of merged plans.
 */
export class PlanStageTimes {
  readonly sampleEvery: number;
  /**
   * The times of each stage in each engine. The stages of the compiled plan come first, in order,
   * then the stages of the plan that was divided for a device.
   */
  readonly #times = new Map<string, StageTimes>();

  constructor(sampleEvery: number) {
    this.sampleEvery = sampleEvery;
  }

  of(held: CatalogStage, engine: StageEngine = held.engine): StageTimes {
    const key = `${held.stage.key} ${engine}`;
    const known = this.#times.get(key) ?? new StageTimes(held, engine);
    this.#times.set(key, known);
    return known;
  }

  /** Returns clocks that measure the compiled plan, one for each stage. */
  clocks(stages: readonly CatalogStage[]): StageClocks {
    return new StageClocks(
      stages.map((held) => ({ times: [this.of(held)] })),
      this.sampleEvery,
    );
  }

  /**
   * Returns clocks that measure the plan with device stages. The first clocks measure each stage on
   * the CPU, in order. The other clocks measure the lowered stages on the device.
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
