import type { LaterOptions } from '../../execute/work.js';
import type { AnnouncedRows } from './announced-rows.js';

/** The options of a request whose stages may run on a device. */
export interface DeviceCall extends LaterOptions {
  readonly announced?: AnnouncedRows | undefined;
  readonly remainingMs?: number | undefined;
}
