import { Presets, SingleBar } from 'cli-progress';
import { streams } from './streams.js';
import { printable } from './text/table.js';

/**
 * For work that takes less than this many milliseconds, no bar appears, because it would only
 * flicker.
 */
const SILENT_MS = 1000;

export interface ProgressBar extends Disposable {
  readonly show: (done: number, total: number, phase: string) => void;
}

/**
 * Draws a progress bar on standard error for long work, if standard error is a terminal. It also
 * draws during synchronous work, which blocks the event loop.
 *
 * @param options where to draw, and how long to wait before the bar appears.
 */
export function progressBar(
  label: string,
  { stream = streams().stderr, silentMs = SILENT_MS }: { stream?: NodeJS.WritableStream; silentMs?: number } = {},
): ProgressBar {
  const started = performance.now();
  const bar = new SingleBar(
    { stream, format: '{label} {phase} {bar} {percentage}%', clearOnComplete: true, hideCursor: true },
    Presets.shades_classic,
  );
  return {
    show(done, total, phase) {
      if (!bar.isActive && performance.now() - started >= silentMs)
        bar.start(total, done, { label: printable(label), phase });
      if (!bar.isActive) return;
      bar.setTotal(total);
      bar.update(done, { phase });
    },
    [Symbol.dispose]: () => bar.stop(),
  };
}
