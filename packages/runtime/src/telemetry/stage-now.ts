/**
 * Returns milliseconds for the times of stages and for profiles. It reads the clock of the process,
 * not the clock of the runtime. The addon and worker threads measure their stages with the clock of
 * the process, and both kinds of times are added. A profile repeats work until its duration is
 * over, so it would never end with a clock that stands still.
 */
export const stageNow = (): number => performance.now();
