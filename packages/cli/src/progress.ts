import { Presets, SingleBar } from 'cli-progress';
import { streams } from './streams.js';
import { printable } from './table.js';

/** Work shorter than this shows no bar: it would only flicker. */
const SILENT_MS = 1000;

export interface ProgressBar extends Disposable {
  readonly show: (done: number, total: number, phase: string) => void;
}

/**
 * Draws a bar on standard error for long work; draws nothing if standard error is not a terminal.
 * It draws while the work runs, without the event loop.
 *
 * @param options where it is drawn, and how long it waits for the work to end by itself.
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
