// Writes docs/errors.md from the error tables of the packages. `--check` only compares. It needs a
// build.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { importSources } from './import-sources.mjs';
import { wrapMarkdown } from './wrap-prose.mjs';

const tables = [
  ['Program (FlourError)', '@brezel/flour', 'flourErrors'],
  ['Tensor programs (TensorError)', '@brezel/tensors', 'tensorErrors'],
  ['Plan (OvenError)', '@brezel/oven', 'ovenErrors'],
  ['Parameters (StoreError)', '@brezel/object-store', 'storeErrors'],
  ['Prediction (RuntimeError)', '@brezel/runtime', 'runtimeErrors'],
  ['Explanations (RuntimeError)', '@brezel/runtime', 'explainErrors'],
  ['Registry (RegistryError)', '@brezel/registry', 'registryErrors'],
  ['Installation (NativeError)', 'brezel/native-errors.ts', 'nativeErrors'],
  ['Imports on worker threads (ImportError)', 'brezel/importing/errors.ts', 'importErrors'],
  ['Fleet files (FleetError)', '@brezel/fleet-file', 'fleetFileErrors'],
  ['Plans of fleet files (FleetError)', 'brezel/fleet/errors.ts', 'fleetErrors'],
  ['Browsers and edge runtimes (WebError of brezel/web)', 'brezel/web/errors.ts', 'webErrors'],
  ['ONNX files (OnnxError)', '@brezel/onnx', 'onnxErrors'],
  ['LightGBM and XGBoost files (GbdtError)', '@brezel/gbdt', 'gbdtErrors'],
  ['ML.NET archives (MlNetError)', '@brezel/mlnet', 'mlNetErrors'],
  ['PMML files (PmmlError)', '@brezel/pmml', 'pmmlErrors'],
  ['scikit-learn files (ScikitLearnError)', '@brezel/scikit-learn', 'scikitLearnErrors'],
  ['Lowering (LoweringError)', '@brezel/lowering', 'loweringErrors'],
  ['Test data (TestDataError)', 'brezel/test-data/errors.ts', 'testDataErrors'],
  ['Backends (BackendError)', '@brezel/core', 'backendErrors'],
  ['Command line (CliError)', 'cli/errors.ts', 'cliErrors'],
  ['Server (HttpError of @brezel/http)', 'http/errors.ts', 'httpErrors'],
  ['gRPC server (GrpcError of @brezel/grpc)', 'grpc/errors.ts', 'grpcErrors'],
  ['Fleets on NATS (NatsError of @brezel/nats)', 'nats/errors.ts', 'natsErrors'],
  ['External predictors (ExternalError of @brezel/external)', 'external/errors.ts', 'externalErrors'],
  ['Model selection (SelectionError of @brezel/selection)', 'selection/errors.ts', 'selectionErrors'],
];

const lines = [
  '# Errors',
  '',
  'Every error has a `code`, a `message` and a `hint`. The message contains the expected value, the received value and',
  'the location, if they are known. The hint says what to do. The class of the error names the part of Brezel that throws it.',
  '',
  '- `statusCode` is the HTTP status that a service should send; fastify sends it automatically.',
  '- `type` is a URI for problem details (RFC 9457): `urn:brezel:error:` and the code.',
  '- `details` has `expected`, `received` and `at` (the location), if they are known.',
  '- If an error belongs to a row, `details.row` is the index of the row in the request, and `details.input` is the name',
  '  of the input. If the input is a list, `details.index` is the index of the element.',
  '',
  '`node scripts/gen-errors.mjs` writes this page from the tables in the code.',
];
for (const [title, module, name] of tables) {
  const { [name]: table } = await load(module);
  lines.push('', `## ${title}`, '', '| code | status | meaning | what to do |', '|---|---|---|---|');
  for (const [code, { message, hint, statusCode = 500 }] of Object.entries(table))
    lines.push(`| \`${code}\` | ${statusCode} | ${message} | ${hint} |`);
}
lines.push(
  '',
  '`ERR_ROW` is thrown by a reference kernel for an unsupported value of a row; the runtime reports it as `ERR_RUNTIME_INPUT`.',
);
lines.push(
  '',
  '`ERR_INTERNAL` is a bug in Brezel: please report it with the model. In the response of a server, it also stands for an error of your own code, for example of a backend or of a candidate: the log of the server has the error.',
  '',
);

/**
 * Loads a package, or a source file that its package does not export: `cli/errors.ts` is
 * `packages/cli/src/errors.ts`.
 */
async function load(module) {
  if (!module.endsWith('.ts')) return import(module);
  const [, folder, file] = /^([^/]+)\/(.+)$/.exec(module);
  const [exported] = await importSources(folder, [file]);
  return exported;
}

const target = new URL('../docs/errors.md', import.meta.url);
const text = wrapMarkdown(lines.join('\n'));
if (existsSync(target) && readFileSync(target, 'utf8') === text) process.exit(0);
if (process.argv.includes('--check')) {
  console.error('docs/errors.md is not in step with the error tables: node scripts/gen-errors.mjs');
  process.exit(1);
}
writeFileSync(target, text);
