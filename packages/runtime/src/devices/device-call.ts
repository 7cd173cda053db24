import type { LaterOptions } from '../engines/work.js';
import type { Arrivals } from './arrivals.js';

/** A call that goes by the device. */
export interface DeviceCall extends LaterOptions {
  readonly arrivals?: Arrivals | undefined;
  readonly remainingMs?: number | undefined;
}
