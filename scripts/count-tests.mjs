// Prints "N passed, N failed" over the result files that the test runner wrote in this checkout. Fails when a test failed or none ran.
import { existsSync, readFileSync } from 'node:fs';

const files = ['test-results/default.json', 'test-results/long.json'];
const results = files.filter((file) => existsSync(file)).map((file) => JSON.parse(readFileSync(file, 'utf8')));
const sum = (key) => results.reduce((total, result) => total + result[key], 0);
const [passed, failed, skipped] = [
  sum('numPassedTests'),
  sum('numFailedTests'),
  sum('numPendingTests') + sum('numTodoTests'),
];
const broken = results.filter((result) => !result.success).length;
const missing = files.length - results.length;
if (missing > 0) console.log(`${missing} of ${files.length} test runs left no result`);
console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
process.exit(passed > 0 && failed === 0 && broken === 0 && missing === 0 ? 0 : 1);
