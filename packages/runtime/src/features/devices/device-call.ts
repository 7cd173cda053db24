import type { LaterOptions } from '../../execute/work.js';
import type { AnnouncedRows } from './announced-rows.js';

/** A request that may run stages on a device. */
export interface DeviceCall extends LaterOptions {
  readonly announced?: AnnouncedRows | undefined;
  readonly remainingMs?: number | undefined;
}
