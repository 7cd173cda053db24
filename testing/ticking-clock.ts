import { ManualClock } from './manual-clock.js';

/** A clock that advances by 1 ms whenever it is read, so that a batch pauses after every piece. */
export class TickingClock extends ManualClock {
  override now(): number {
    this.advance(1);
    return super.now();
  }
}
