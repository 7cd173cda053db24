import type { LaterOptions } from '../../execute/work.js';
import type { Arrivals } from './announced-rows.js';

/** A call that goes by the device. */
export interface DeviceCall extends LaterOptions {
  readonly arrivals?: Arrivals | undefined;
  readonly remainingMs?: number | undefined;
}
