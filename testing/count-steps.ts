import { Session } from 'node:inspector/promises';

/** How often V8 has run each block of JavaScript, by the location of the block. */
export type StepCounts = ReadonlyMap<string, number>;

/** The session that counts until the process ends. */
let counting: Session | undefined;

/**
 * Runs a function and counts how often each block of Brezel's code runs. The counts do not depend
 * on the speed of the machine, so that tests can state how work grows. Loops inside V8, such as
 * those of `indexOf`, are not counted.
 *
 * The process counts from the first call until it ends, because V8 cannot restart counting: it
 * would count only some of the runs of functions that it has already compiled.
 */
export async function countSteps(run: () => unknown): Promise<StepCounts> {
  const session = counting ?? (await startCounting());
  await session.post('Profiler.takePreciseCoverage'); // sets all counts to 0
  await run();
  const { result } = await session.post('Profiler.takePreciseCoverage');
  const own = result.filter(({ url }) => url.includes('/packages/'));
  return new Map(
    own.flatMap(({ url, functions }) =>
      functions.flatMap(({ functionName, ranges }) =>
        ranges.map(
          ({ startOffset, endOffset, count }) => [`${url} ${functionName} ${startOffset}-${endOffset}`, count] as const,
        ),
      ),
    ),
  );
}

async function startCounting(): Promise<Session> {
  counting = new Session();
  counting.connect();
  await counting.post('Profiler.enable');
  await counting.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  return counting;
}
