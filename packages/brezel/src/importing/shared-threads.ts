import { systemClock } from '@brezel/core';
import { ImportThreads } from './import-threads.js';

/**
 * The thread that `importModelAsync` and all registries of the process share. It ends when it is
 * idle.
 */
export const sharedThreads = new ImportThreads({ threads: 1, clock: systemClock });
