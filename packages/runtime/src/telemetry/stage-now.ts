/**
 * Returns the current time in milliseconds, for the times of stages and for profiles. It reads the
 * clock of the process, not the clock of the runtime. The addon and worker threads also use the
 * clock of the process, and their times are added to these. A profile would never end if the clock
 * did not advance.
 */
export const stageNow = (): number => performance.now();
