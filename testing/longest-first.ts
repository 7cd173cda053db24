import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * CPU seconds of the longest files, measured one by one.
 * The runner's own order starts them last on a clean checkout, because they are small files.
 */
const SECONDS: Readonly<Record<string, number>> = {
  'fleet/fuzz-fleet.fuzz.test.ts': 250,
  'fleet/fuzz-serving.fuzz.test.ts': 200,
  'robustness/hostile-files.long.test.ts': 235,
  'conformance/rules.long.test.ts': 170,
  'conformance/pipelines.long.test.ts': 150,
  'test/experiments.long.test.ts': 110,
  'conformance/operators.long.test.ts': 80,
  'conformance/family.long.test.ts': 45,
  'executors/chaos.long.test.ts': 35,
};

const secondsOf = (file: string) => Object.entries(SECONDS).find(([end]) => file.endsWith(end))?.[1] ?? 0;

/** Starts the longest files first, so that no core waits for the last one. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const order = await super.sort(files);
    return order.toSorted((one, other) => secondsOf(other.moduleId) - secondsOf(one.moduleId));
  }
}
