/**
 * Returns the current time in milliseconds, for the times of stages and for profiles. It reads the
 * clock of the process and not the clock of the runtime, for two reasons: the addon and worker
 * threads also use the clock of the process, and with a manual clock that does not advance, a
 * profile would never end.
 */
export const stageNow = (): number => performance.now();
