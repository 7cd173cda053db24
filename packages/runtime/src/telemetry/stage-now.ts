/**
 * Returns the current time in milliseconds, for the times of stages and for profiles. It reads the
 * clock of the process and not the clock of the runtime, for two reasons: times of the addon and of
 * worker threads are added to these times, and a profile would never end with a clock that does not
 * advance.
 */
export const stageNow = (): number => performance.now();
