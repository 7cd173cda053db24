// Prints the failed tests, then "N passed, N failed", from the result files that the test runner
// wrote in this checkout. It fails if a test failed or no test ran. A file whose hooks fail counts
// as one failure, because the runner's own counts omit such a file.
import { existsSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';

const LINES_OF_A_MESSAGE = 12;
const files = ['test-results/default.json', 'test-results/long.json'];
const results = files.filter((file) => existsSync(file)).map((file) => JSON.parse(readFileSync(file, 'utf8')));

const failures = results.flatMap((result) => result.testResults.flatMap(failuresOf));
for (const { where, message } of failures) {
  const lines = message.split('\n').slice(0, LINES_OF_A_MESSAGE);
  console.log([`FAILED ${where}`, ...lines.map((line) => `    ${line}`)].join('\n'));
}

const sum = (key) => results.reduce((total, result) => total + result[key], 0);
const passed = sum('numPassedTests');
const skipped = sum('numPendingTests') + sum('numTodoTests');
const broken = results.filter((result) => !result.success).length;
const missing = files.length - results.length;
if (missing > 0) console.log(`${missing} of ${files.length} test runs left no result`);
if (skipped > 0) console.log(`${skipped} skipped; the runs above print why`);
console.log(`${passed} passed, ${failures.length} failed`);
process.exit(passed > 0 && failures.length === 0 && broken === 0 && missing === 0 ? 0 : 1);

/** Returns the failed tests of a file, or the file itself if it failed without a failed test. */
function failuresOf({ name, status, message, assertionResults }) {
  const file = relative(process.cwd(), name);
  const failed = assertionResults.filter((test) => test.status === 'failed');
  if (failed.length > 0)
    return failed.map((test) => ({ where: `${file}: ${test.fullName}`, message: messageOf(test) }));
  return status === 'failed' ? [{ where: file, message: message || 'failed outside of its tests' }] : [];
}

/**
 * Returns the messages of a failed test. If the test exceeded its time limit, the runner's file
 * only has a placeholder.
 */
function messageOf({ failureMessages }) {
  return failureMessages.join('\n').replace('Error: STACK_TRACE_ERROR', 'Error: the test exceeded its time limit');
}
