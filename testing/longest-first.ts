import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * CPU seconds of the longest test files, measured separately. The runner's own order starts them
 * last on a clean checkout, because they are small files.
 */
const SECONDS: Readonly<Record<string, number>> = {
  'native/test/fuzz.long.test.ts': 400,
  'release/bundlers.long.test.ts': 220,
  'fleet/fuzz-fleet.fuzz.test.ts': 120,
  'conformance/rules.long.test.ts': 115,
  'docs/site.long.test.ts': 110,
  'test/experiments.long.test.ts': 110,
  'robustness/hostile-files.long.test.ts': 100,
  'conformance/pipelines.long.test.ts': 100,
  'release/runtimes.long.test.ts': 95,
  'conformance/operators.long.test.ts': 85,
  'release/install.long.test.ts': 85,
  'test/cycles.long.test.ts': 80,
  'fleet/fuzz-serving.fuzz.test.ts': 75,
  'conformance/family.long.test.ts': 55,
  'executors/chaos.long.test.ts': 25,
};

const secondsOf = (file: string) => Object.entries(SECONDS).find(([end]) => file.endsWith(end))?.[1] ?? 0;

/** Starts the longest test files first, so that at the end no core waits for a long file. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const order = await super.sort(files);
    return order.toSorted((one, other) => secondsOf(other.moduleId) - secondsOf(one.moduleId));
  }
}
