import { waitedForCore } from './machine.mjs';

/**
 * @typedef {{ start: number, end: number, waited: number }} Gap
 *   A gap between two turns of the event loop, in ms. For `waited` ms the thread waited for a core.
 */

/**
 * Measures the gaps between turns of the event loop during a call.
 *
 * @param {() => Promise<unknown>} call
 * @returns {Promise<Gap[]>}
 */
export async function gapsOf(call) {
  /** @type {Gap[]} */
  const gaps = [];
  let isOver = false;
  let [last, lastWaited] = [performance.now(), waitedForCore()];
  const turn = () => {
    const [now, waited] = [performance.now(), waitedForCore()];
    gaps.push({ start: last, end: now, waited: waited - lastWaited });
    [last, lastWaited] = [now, waited];
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  await call();
  isOver = true;
  // waits for the observer, which receives pauses later
  await new Promise((resolve) => setTimeout(resolve, 5));
  return gaps;
}
