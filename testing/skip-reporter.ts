import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import type { Reporter, TestCase, TestModule, Vitest } from 'vitest/node';

/**
 * The reasons for conditions of `skipIf` and `runIf`. The first pattern that matches a condition
 * gives the reason.
 */
const REASONS: readonly (readonly [condition: RegExp, reason: string])[] = [
  [/^(fileMaps?|hasFileMaps)\b/, 'this platform maps no files'],
  [/^(tools|modules)\b/, 'npm cannot install the packages of a folder in packages/brezel/test/release'],
  [/^why\b/, 'the objects of the native build, nm or objdump are missing'],
  [/^reason\b/, 'there is no C compiler'],
  [/libFuzzer/, 'clang++ or its libFuzzer is not installed; apt-get install clang libclang-rt-dev'],
  [/^kserve$/, 'the definitions of KServe are missing; they belong in ../shared/kserve'],
  [/^systemd$/, 'systemd-analyze is not installed; apt-get install systemd'],
  [/^compose$/, 'neither docker compose nor docker-compose is installed'],
  [/^containers$/, 'buildah or mmdebstrap is not installed, or the test does not run as root on x64'],
  [/^hasHaproxy/, 'HAProxy is not installed; apt-get install haproxy'],
  [/^hasNats/, 'nats-server is not installed; apt-get install nats-server'],
  [/^hasPromtool/, 'promtool is not installed; apt-get install prometheus'],
  [/^isSanitized/, 'a sanitizer runs'],
  [/process\.platform === 'win32'/, 'Windows has no limit on the size of a written file'],
  [/^isLinux/, 'only Linux pins threads to CPUs'],
  [/executablePath|^hasBrowser/, 'there is no Chromium; apt-get install chromium, or set BREZEL_CHROMIUM'],
  [/^(python|hasPython)$/, 'Python 3 is missing'],
  [/^pythonXgboost/, 'Python has no XGBoost; apt-get install python3-xgboost'],
  [
    /^pythonSklearn/,
    'Python has no scikit-learn, pandas or onnx; apt-get install python3-sklearn python3-pandas python3-onnx',
  ],
  [/^pythonSkl2onnx/, 'Python has no skl2onnx; pip install skl2onnx'],
  [/\bgc\b/, 'Node runs without --expose-gc'],
  [/tfjs/, '@tensorflow/tfjs is not installed; npm ci'],
  [/\bort\b|onnxruntime|available$|^missing/, 'onnxruntime-node does not load; npm ci'],
  [/hasDevice/, 'onnxruntime-node does not load, whose CPU provider poses as a device; npm ci'],
  [/addon|Addon|isas|engines\.native|^runtime\b/, 'the native addon is not built; npm run build:native'],
  [/corpus|^model|^trained|^conformance|^chosen/, 'the corpus of models is missing; set BREZEL_CORPUS to its folder'],
];

const CONDITION = /\.(?:skip|run)If\(((?:[^()]|\((?:[^()]|\([^()]*\))*\))*)\)/g;

/** Returns the conditions under which a test file skips tests. */
export const conditionsIn = (text: string): string[] => [
  ...new Set([...text.matchAll(CONDITION)].map(([, condition]) => condition!)),
];

/** Returns the reason for a condition, or undefined. */
export const reasonFor = (condition: string): string | undefined =>
  REASONS.find(([pattern]) => pattern.test(condition.replace(/^!/, '')))?.[1];

/**
 * Prints how many tests of each file were skipped, and why. Tests that a name filter excludes do
 * not count.
 */
export class SkipReporter implements Reporter {
  #names: RegExp | undefined;

  onInit(vitest: Vitest): void {
    this.#names = vitest.config.testNamePattern;
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    for (const { moduleId, children } of modules) {
      const skipped = [...children.allTests('skipped')].filter((one) => this.#names?.test(nameOf(one)) ?? true);
      if (skipped.length === 0) continue;
      const conditions = conditionsIn(readFileSync(moduleId, 'utf8'));
      const reasons = new Set(conditions.map((one) => reasonFor(one) ?? one));
      console.log(`skipped: ${skipped.length} of ${relative('.', moduleId)}: ${[...reasons].join('; or ')}`);
    }
  }
}

/**
 * Returns the name that vitest compares with a name filter: all suites and the test, joined by
 * spaces.
 */
const nameOf = (one: TestCase) => one.fullName.replaceAll(' > ', ' ');
