/**
 * Warnings that tests cause on purpose: devices that fail, many plans without names, and threads
 * that end. They are not printed. Listeners of a test still get them.
 */
const expected: ReadonlySet<string | undefined> = new Set(['BREZEL_DEVICE', 'BREZEL_NAME', 'BREZEL_THREADS']);

const printers = process.listeners('warning');

function printUnexpected(warning: Error & { code?: string }): void {
  if (!expected.has(warning.code)) for (const print of printers) print.call(process, warning);
}

// several test files run in one process, and each runs this module
if (!printers.some(({ name }) => name === printUnexpected.name)) {
  process.removeAllListeners('warning');
  process.on('warning', printUnexpected);
}
