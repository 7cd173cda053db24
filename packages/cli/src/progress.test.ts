import { Writable } from 'node:stream';
import { expect, test, vi } from 'vitest';
import { progressBar } from './progress.js';

/** Returns a stream that records what is written, either as a terminal or as a file. */
function screen(isTTY: boolean) {
  const written: string[] = [];
  const stream = new Writable({
    write(chunk, _, done) {
      written.push(String(chunk));
      done();
    },
  });
  return { stream: Object.assign(stream, { isTTY, columns: 80 }), text: () => written.join('') };
}

function work(isTTY: boolean, milliseconds: number): string {
  vi.useFakeTimers();
  try {
    const { stream, text } = screen(isTTY);
    using bar = progressBar('forest\u001b[2J.onnx', { stream });
    for (let done = 1; done <= 10; done++) {
      vi.advanceTimersByTime(milliseconds / 10);
      bar.show(done, 10, 'read');
    }
    return text();
  } finally {
    vi.useRealTimers();
  }
}

test('long work shows a bar on a terminal, without control characters of the label', () => {
  const shown = work(true, 5000);
  expect(shown).toContain('read');
  expect(shown).toMatch(/forest.*\.onnx/);
  expect(shown).toMatch(/[3-9]0%/);
  expect(shown).not.toContain('forest\u001b');
});

test('short work shows no bar', () => {
  expect(work(true, 900)).toBe('');
});

test('a stream that is not a terminal shows no progress', () => {
  expect(work(false, 5000)).toBe('');
});
