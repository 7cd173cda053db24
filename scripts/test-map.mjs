// Maps source folders to their tests. If several folders contain a file, the longest one is used.
// Patterns are paths below the checkout: a test file or a folder of test files. `npm run test:for
// PATH` reads this table, CONTRIBUTING.md shows it, and `npm run check` checks it.

/** The folder of tests that run the cases of operators. */
export const conformance = 'packages/brezel/test/conformance';

export const testMap = {
  'benchmarks/': ['benchmarks/test'],
  'examples/': [
    'packages/cli/test/examples.test.ts',
    'packages/cli/test/example-services.test.ts',
    'packages/cli/test/deploy.test.ts',
    'packages/cli/test/monitoring.test.ts',
    'packages/brezel/test/docs/examples.test.ts',
  ],
  'native/': ['native/test', `${conformance}/native-nodes.test.ts`],
  'packages/brezel/src/': [
    'packages/brezel/test/docs',
    'packages/brezel/test/custom',
    'packages/brezel/test/corpus',
    'packages/brezel/test/release',
  ],
  'packages/brezel/src/code-cache/': ['packages/brezel/src/code-cache', 'packages/brezel/test/release'],
  'packages/brezel/src/fleet/': ['packages/brezel/test/fleet'],
  'packages/brezel/src/web/': ['packages/brezel/test/web'],
  'packages/brezel/src/wasm/': ['packages/brezel/test/wasm'],
  'packages/runtime/src/execute/wasm/': ['packages/brezel/test/wasm', 'packages/brezel/test/web'],
  'examples/web-page/': ['packages/brezel/test/web'],
  'packages/brezel/src/importing/': ['packages/brezel/test/importing'],
  'packages/brezel/src/inference-session/': ['packages/brezel/test/inference-session'],
  'packages/cli/src/': ['packages/cli'],
  'packages/core/src/': ['packages/tensors', 'packages/brezel/test/serving'],
  'packages/core/src/math/': [
    'packages/tensors/src/families/unary.test.ts',
    'packages/tensors/test/small-numbers.test.ts',
    'native/test/numeric-kernels.test.ts',
  ],
  'packages/explain-svg/src/': [
    'packages/brezel/test/explain/contribution-picture.test.ts',
    'packages/brezel/test/explain/picture.test.ts',
  ],
  'packages/fleet-file/src/': ['packages/brezel/test/fleet'],
  'packages/flour/src/': ['packages/flour/test', 'packages/brezel/test/types', conformance],
  'packages/flour/src/custom/': ['packages/brezel/test/custom', conformance],
  'packages/flour/src/compositions/': [`${conformance}/operators.test.ts`, `${conformance}/pipelines.test.ts`],
  'packages/flour/src/ops/': [
    `${conformance}/operators.test.ts`,
    'packages/flour/test/numeric-errors.test.ts',
    'packages/brezel/test/docs/operators.test.ts',
  ],
  'packages/gbdt/src/': ['packages/gbdt/test', 'packages/brezel/test/corpus/gbdt.test.ts'],
  'packages/grpc/src/': ['packages/grpc/test'],
  'packages/nats/src/': ['packages/nats'],
  'packages/http/src/': ['packages/http/test', 'packages/cli/test/serve.test.ts'],
  'packages/lowering/src/': ['packages/lowering/test', 'packages/brezel/test/devices'],
  'packages/mlnet/src/': ['packages/mlnet/test', 'packages/brezel/test/corpus/mlnet.test.ts'],
  'packages/pmml/src/': ['packages/pmml/test'],
  'packages/scikit-learn/src/': ['packages/scikit-learn/test'],
  'packages/object-store/src/': [
    'packages/object-store',
    'packages/brezel/test/robustness/memory.test.ts',
    'packages/brezel/test/number-functions.test.ts',
    'packages/brezel/test/wire-lists.test.ts',
  ],
  'packages/oip/src/': [
    'packages/http/test/protocol.test.ts',
    'packages/http/test/routes.test.ts',
    'packages/grpc/test/protocol.test.ts',
  ],
  'packages/onnx/src/': [
    'packages/onnx/src',
    'packages/onnx/test',
    'packages/brezel/test/robustness',
    'packages/brezel/test/corpus',
    conformance,
  ],
  'packages/onnxruntime/src/': ['packages/onnxruntime/test', 'packages/brezel/test/serving/black-boxes.test.ts'],
  'packages/opentelemetry/src/': ['packages/opentelemetry/test'],
  'packages/oven/src/': [
    'packages/oven',
    `${conformance}/rules.test.ts`,
    `${conformance}/row-rules.test.ts`,
    'packages/brezel/test/long-programs',
  ],
  'packages/oven/src/explain/': ['packages/brezel/test/explain'],
  'packages/prom-client/src/': ['packages/prom-client/test'],
  'packages/registry/src/': ['packages/registry/test'],
  'packages/runtime/src/': ['packages/brezel/test/serving', 'packages/runtime'],
  'packages/runtime/src/execute/': [
    'packages/runtime',
    'packages/brezel/test/serving/engine-choice.test.ts',
    `${conformance}/operators.test.ts`,
  ],
  'packages/runtime/src/features/': [
    'packages/brezel/test/serving',
    'packages/brezel/test/isolation/quarantine.test.ts',
    'packages/brezel/test/devices',
  ],
  'packages/runtime/src/execute/contributions/': ['packages/brezel/test/explain/contributions.test.ts'],
  'packages/runtime/src/parallel/': [
    'packages/runtime',
    'packages/brezel/test/executors',
    'packages/brezel/test/isolation',
  ],
  'packages/runtime/src/telemetry/': [
    'packages/brezel/test/serving/observation.test.ts',
    'packages/brezel/test/explain/profile.test.ts',
  ],
  'packages/external/src/': ['packages/external'],
  'packages/selection/src/': ['packages/selection', 'packages/cli/test/replay-feedback.test.ts'],
  'packages/tensors/src/': ['packages/tensors', 'packages/brezel/test/tensors'],
  'packages/text/src/': ['packages/text', 'packages/brezel/test/text', 'packages/brezel/test/encoded-strings.test.ts'],
  'packages/tfjs/src/': ['packages/tfjs/test', 'packages/brezel/test/serving/model-files.test.ts'],
  'scripts/': ['scripts'],
};

/** Returns the folder of the test map that contains a path, or undefined. */
export function folderOf(path, map = testMap) {
  return Object.keys(map)
    .filter((folder) => path.startsWith(folder) || `${path}/` === folder)
    .sort((one, other) => other.length - one.length)[0];
}

/**
 * Returns the test files that vitest runs for a source file or folder. If it belongs to one
 * operator, `name` filters tests by name.
 *
 * @param {string} path
 * @param {Record<string, string[]>} map
 */
export function testsFor(path, map = testMap) {
  if (path.endsWith('.test.ts')) return { tests: [path] };
  const folder = folderOf(path, map);
  if (folder === undefined) throw new Error(`no tests are named for ${path}; add its folder to scripts/test-map.mjs`);
  const operator = /^packages\/flour\/src\/ops\/([a-z0-9-]+)/.exec(path)?.[1];
  return { tests: map[folder], ...(operator !== undefined && { name: operator }) };
}

/** Returns the test map as the table that CONTRIBUTING.md shows. */
export function printedMap(map = testMap) {
  const rows = Object.entries(map).map(
    ([folder, tests]) => `| \`${folder}\` | ${tests.map((test) => `\`${test}\``).join(', ')} |`,
  );
  return ['| source | tests |', '|---|---|', ...rows].join('\n');
}
