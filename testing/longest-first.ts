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
  'conformance/nodes.long.test.ts': 55,
  'explain/picture.long.test.ts': 30,
  'executors/chaos.long.test.ts': 25,
  'fleet/round-trip.test.ts': 20,
  'custom/mixed-plans.test.ts': 15,
  'conformance/operators.test.ts': 18,
  'robustness/workers.test.ts': 15,
  'corpus/replay.test.ts': 15,
  'executors/javascript.test.ts': 14,
  'cli/test/serve.test.ts': 11,
  'docs/examples.test.ts': 12,
  'cli/test/examples.test.ts': 12,
  'cli/test/every-model.test.ts': 12,
  'benchmarks/test/workload.test.ts': 10,
  'fleet/fuzz-fleet.test.ts': 9,
  'conformance/pipelines.test.ts': 10,
};

const secondsOf = (file: string) => Object.entries(SECONDS).find(([end]) => file.endsWith(end))?.[1] ?? 0;

/**
 * Starts the longest test files of each project first, so that at the end no core waits for a long
 * file. Projects run one after another, as in the runner's own order.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const order = await super.sort(files);
    const projects = [...new Set(order.map(({ project }) => project))];
    return projects.flatMap((project) =>
      order
        .filter((file) => file.project === project)
        .toSorted((one, other) => secondsOf(other.moduleId) - secondsOf(one.moduleId)),
    );
  }
}
