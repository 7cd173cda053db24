import { fstatSync } from 'node:fs';
import { createInterface } from 'node:readline';

/** The reviews that the example scores if the user passes no texts. */
const reviews = [
  'The battery lasts for days and the picture is wonderful, I am very happy with it.',
  'A dull film. Bad acting, a boring story, and not worth the ticket.',
  'Not bad at all: cheap, but it works great.',
  'Le café était parfait ☕️ and the naïve little comedy made us laugh 😀',
  'It broke after two weeks. Do not waste your money on this headset!!!',
  'I bought it on a Tuesday.',
];

/**
 * The program waits this many milliseconds for standard input, because a parent process may hold a
 * pipe open and never write.
 */
const SILENCE_MS = 1000;

/** Returns the arguments, or the lines of standard input, or the sample reviews. */
export async function textsToScore(given: readonly string[]): Promise<readonly string[]> {
  if (given.length > 0) return given;
  const lines = await linesOfStandardInput();
  return lines.length > 0 ? lines : reviews;
}

async function linesOfStandardInput(): Promise<string[]> {
  if (!isPipeOrFile()) return [];
  const reader = createInterface({ input: process.stdin });
  const silence = setTimeout(() => reader.close(), SILENCE_MS);
  process.stdin.once('data', () => clearTimeout(silence));
  const lines: string[] = [];
  for await (const line of reader) if (line.trim() !== '') lines.push(line.trim());
  clearTimeout(silence);
  process.stdin.destroy(); // otherwise an open pipe would keep the process alive
  return lines;
}

function isPipeOrFile(): boolean {
  try {
    const kind = fstatSync(0);
    return kind.isFIFO() || kind.isFile() || kind.isSocket();
  } catch {
    return false; // closed
  }
}
