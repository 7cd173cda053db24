// The pages of the site, in the order that a newcomer needs. Every Markdown file of docs/ has an
// entry. scripts/docs-pages.test.ts checks this table.

/**
 * The groups of the sidebar. A page is [Markdown file of the repository, path on the site, text of
 * the sidebar].
 */
export const groups = [
  {
    text: 'Start',
    pages: [
      ['README.md', 'index.md', 'What Brezel is'],
      ['docs/guides/getting-started.md', 'guides/getting-started.md', 'Getting started'],
      ['examples/README.md', 'examples.md', 'Examples'],
    ],
  },
  {
    text: 'Guides',
    pages: [
      ['docs/guides/rows-and-answers.md', 'guides/rows-and-answers.md', 'Rows and answers'],
      ['docs/guides/service.md', 'guides/service.md', 'A service with fastify or express'],
      ['docs/guides/server.md', 'guides/server.md', 'An inference server'],
      ['docs/guides/browser.md', 'guides/browser.md', 'In the browser'],
      ['docs/guides/explanations.md', 'guides/explanations.md', 'Why did the model say so'],
      ['packages/external/README.md', 'external.md', 'Models of other servers'],
      ['packages/selection/README.md', 'selection.md', 'Model selection'],
      ['docs/guides/recipes.md', 'guides/recipes.md', 'Recipes'],
      ['docs/guides/typescript.md', 'guides/typescript.md', 'TypeScript'],
      ['docs/guides/from-onnxruntime.md', 'guides/from-onnxruntime.md', 'From onnxruntime-node'],
      ['docs/guides/exporting.md', 'guides/exporting.md', 'Exporting models well'],
      ['docs/guides/deployment.md', 'guides/deployment.md', 'Deployment'],
      ['docs/guides/containers.md', 'guides/containers.md', 'Docker, systemd, KServe'],
      ['docs/guides/several-servers.md', 'guides/several-servers.md', 'HAProxy, Prometheus, Kubernetes'],
      ['docs/guides/troubleshooting.md', 'guides/troubleshooting.md', 'Troubleshooting'],
    ],
  },
  {
    text: 'Import models',
    pages: [
      ['docs/ONNX.md', 'onnx.md', 'ONNX'],
      ['docs/boosted-trees.md', 'boosted-trees.md', 'LightGBM and XGBoost'],
      ['docs/mlnet.md', 'mlnet.md', 'ML.NET'],
      ['docs/scikit-learn.md', 'scikit-learn.md', 'scikit-learn'],
      ['docs/pmml.md', 'pmml.md', 'PMML'],
      ['docs/tensorflow.md', 'tensorflow.md', 'TensorFlow'],
      ['docs/backends.md', 'backends.md', 'Models in other runtimes'],
    ],
  },
  {
    text: 'Concepts',
    pages: [
      ['docs/serving.md', 'serving.md', 'Serving'],
      ['docs/registry.md', 'registry.md', 'Registry'],
      ['docs/fleet-files.md', 'fleet-files.md', 'Fleet files'],
      ['docs/explain.md', 'explain.md', 'Reading EXPLAIN'],
      ['docs/security.md', 'security.md', 'Security'],
      ['docs/lowering.md', 'lowering.md', 'Stages on a GPU'],
      ['docs/benchmarks.md', 'benchmarks.md', 'Benchmarks of your models'],
      ['examples/ci-benchmark/README.md', 'ci-benchmark.md', 'Benchmarks in CI'],
      ['docs/evaluation.md', 'evaluation.md', 'Evaluation'],
      ['docs/clipper.md', 'clipper.md', 'Batching and selection'],
    ],
  },
  {
    text: 'Operators',
    pages: [
      ['docs/operators.md', 'operators.md', 'All operators'],
      ['docs/custom-operators.md', 'custom-operators.md', 'Custom operators'],
      ['docs/rules.md', 'rules.md', 'Rules of the compiler'],
    ],
  },
  {
    text: 'Reference',
    pages: [
      ['docs/errors.md', 'errors.md', 'Errors'],
      ['packages/http/README.md', 'http.md', 'HTTP server'],
      ['packages/grpc/README.md', 'grpc.md', 'gRPC server'],
      ['packages/nats/README.md', 'nats.md', 'Servers on NATS'],
      ['packages/prom-client/README.md', 'prom-client.md', 'Prometheus metrics'],
      ['packages/opentelemetry/README.md', 'opentelemetry.md', 'OpenTelemetry'],
      ['docs/glossary.md', 'glossary.md', 'Glossary'],
      ['CHANGELOG.md', 'changelog.md', 'Changelog'],
    ],
  },
  {
    text: 'Work on Brezel',
    collapsed: true,
    pages: [
      ['CONTRIBUTING.md', 'contributing.md', 'Contributing'],
      ['docs/ARCHITECTURE.md', 'architecture.md', 'Architecture'],
      ['native/README.md', 'native.md', 'Native core'],
      ['benchmarks/README.md', 'internal-benchmarks.md', 'Benchmarks of Brezel'],
    ],
  },
  {
    text: 'Decisions',
    collapsed: true,
    folder: { from: 'docs/adr', to: 'adr' },
  },
];
