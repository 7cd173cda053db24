import type { LaterOptions } from '../../execute/work.js';
import type { AnnouncedRows } from './announced-rows.js';

/** A call that goes by the device. */
export interface DeviceCall extends LaterOptions {
  readonly announced?: AnnouncedRows | undefined;
  readonly remainingMs?: number | undefined;
}
