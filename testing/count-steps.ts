import { Session } from 'node:inspector/promises';

/** How often V8 has run each block of JavaScript, by the location of the block. */
export type StepCounts = ReadonlyMap<string, number>;

/**
 * Runs a function and counts how often each block of Brezel's code runs. The counts do not depend
 * on the speed of the machine, so that tests can state how work grows. Loops inside V8, such as
 * those of `indexOf`, are not counted.
 */
export async function countSteps(run: () => unknown): Promise<StepCounts> {
  const session = new Session();
  session.connect();
  try {
    await session.post('Profiler.enable');
    await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
    await run();
    const { result } = await session.post('Profiler.takePreciseCoverage');
    await session.post('Profiler.stopPreciseCoverage');
    const own = result.filter(({ url }) => url.includes('/packages/'));
    return new Map(
      own.flatMap(({ url, functions }) =>
        functions.flatMap(({ functionName, ranges }) =>
          ranges.map(
            ({ startOffset, endOffset, count }) =>
              [`${url} ${functionName} ${startOffset}-${endOffset}`, count] as const,
          ),
        ),
      ),
    );
  } finally {
    session.disconnect();
  }
}
