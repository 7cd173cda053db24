import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startServer } from '@brezel/http';
import { createRegistry, createRuntime, openStore } from 'brezel';
import { load, loadAll } from 'js-yaml';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { brezel, regressorModel, root, temporaryFolder } from './brezel.js';

const deploy = join(root, 'examples/deploy');
const read = (file: string) => readFileSync(join(deploy, file), 'utf8');
const folder = temporaryFolder();
afterAll(folder.remove);

const hasPromtool = spawnSync('promtool', ['--version']).status === 0;

interface Rule {
  readonly record?: string;
  readonly alert?: string;
  readonly expr: string;
}
interface Panel {
  readonly id: number;
  readonly title: string;
  readonly type: string;
  readonly datasource: { readonly uid: string };
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly targets: readonly { readonly refId: string; readonly expr: string; readonly datasource: { uid: string } }[];
}
interface Dashboard {
  readonly uid: string;
  readonly panels: readonly Panel[];
  readonly templating: { readonly list: readonly { readonly name: string; readonly type: string; query: string }[] };
}

const { groups } = load(read('prometheus/brezel.rules.yml')) as {
  groups: readonly { readonly rules: readonly Rule[] }[];
};
const rules = groups.flatMap((group) => group.rules);
const dashboard = JSON.parse(read('grafana/brezel.json')) as Dashboard;
const variables = dashboard.templating.list.filter(({ type }) => type === 'query');
const panelExpressions = dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
interface Autoscaled {
  readonly spec: {
    readonly predictor: {
      readonly autoScaling: { readonly metrics: readonly { external?: { metric: { query: string } } }[] };
    };
  };
}
const autoscaled = load(read('kserve/autoscaled-service.yaml')) as Autoscaled;
const kedaQueries = autoscaled.spec.predictor.autoScaling.metrics.flatMap(
  ({ external }) => external?.metric.query ?? [],
);
interface AdapterRule {
  readonly seriesQuery: string;
  readonly name: { readonly as: string };
  readonly metricsQuery: string;
}
const adapter = load(read('kubernetes/prometheus-adapter.yaml')) as {
  rules: { custom: readonly [AdapterRule] };
};
const expressions = [
  ...rules.map(({ expr }) => expr),
  ...panelExpressions,
  ...variables.map(({ query }) => /^label_values\((.*), \w+\)$/.exec(query)![1]!),
  ...kedaQueries,
  ...adapter.rules.custom.map(({ seriesQuery }) => seriesQuery),
];

/** Labels that Prometheus or its configuration adds to each series. */
const TARGET_LABELS = ['job', 'instance', 'namespace', 'pod'];
const METRIC = /(?<![\w:"$])((?:brezel|process|nodejs)_\w+|job\w*:\w+:\w+|up)\b(?:\{([^}]*)\})?/g;

interface Use {
  readonly metric: string;
  /** The labels that a selector of the metric names. */
  readonly labels: readonly string[];
}

/** Returns the metrics of an expression, and the labels in their selectors. */
const usesOf = (expression: string): readonly Use[] =>
  [...expression.matchAll(METRIC)].map(([, metric, matchers = '']) => ({
    metric: metric!,
    labels: [...matchers.matchAll(/(\w+)\s*(?:=~|!~|!=|=)\s*"/g)].map(([, label]) => label!),
  }));

/** Returns the labels that the expression groups by. */
const groupsOf = (expression: string): readonly string[] =>
  [...expression.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, labels]) => labels!.split(/,\s*/));

/** Returns the labels of each metric in the text that a server exports. */
function exportedLabels(text: string): Map<string, Set<string>> {
  const metrics = new Map<string, Set<string>>();
  for (const line of text.split('\n')) {
    const [, name, labels = ''] = /^([a-z_]\w*)(?:\{(.*)\})? /.exec(line) ?? [];
    if (name === undefined) continue;
    const known = metrics.get(name) ?? new Set(TARGET_LABELS);
    for (const [, label] of labels.matchAll(/(\w+)="/g)) known.add(label!);
    metrics.set(name, known);
  }
  return metrics;
}

/** Returns what an expression uses and no server exports: metrics, and labels of a metric. */
function unknownIn(expression: string, metrics: ReadonlyMap<string, ReadonlySet<string>>): readonly string[] {
  const uses = usesOf(expression);
  const wrong = uses.flatMap(({ metric, labels }) => {
    const known = metrics.get(metric);
    if (known === undefined) return [metric];
    return labels.filter((label) => !known.has(label)).map((label) => `${metric}{${label}}`);
  });
  const grouped = groupsOf(expression).filter((label) => !uses.some(({ metric }) => metrics.get(metric)?.has(label)));
  return [...wrong, ...grouped];
}

describe('the metrics in rules, dashboard and autoscalers', () => {
  let metrics: Map<string, Set<string>>;
  beforeAll(async () => {
    await using runtime = createRuntime({ store: await openStore(), latencies: true, eventLoopLag: true });
    await using registry = await createRegistry({ runtime });
    const file = folder.file('film.onnx', regressorModel([1, 0]));
    const options = { missing: 'accept', quality: { sampleEvery: 1 } } as const;
    registry.add('film', file, { ...options, version: 1 });
    registry.add('film', file, { ...options, version: 2 });
    registry.canary('film', { to: 2, percent: 50 });
    registry.shadow('film', { to: 2 });
    const server = await startServer({ registry, runtime, port: 0 });
    const headers = { 'content-type': 'application/json' };
    for (const row of [{ x: [1, null] }, { x: [1, 2] }, { y: 1 }])
      await fetch(`${server.url}/predict/film`, { method: 'POST', headers, body: JSON.stringify(row) });
    server.recordCall({ method: 'ModelInfer', status: 'OK', milliseconds: 1 });
    metrics = exportedLabels(await (await fetch(`${server.url}/metrics`)).text());
    await server.close();
    metrics.set('up', new Set(TARGET_LABELS));
    // A rule has the labels that its name lists; the name of the metric and an operation follow.
    for (const { record } of rules)
      if (record !== undefined) metrics.set(record, new Set(record.split(':', 1)[0]!.split('_')));
  });

  test('exist, with their labels', () => {
    expect(expressions.length).toBeGreaterThan(40);
    for (const expression of expressions) {
      expect([expression, usesOf(expression).length]).not.toEqual([expression, 0]);
      expect([expression, unknownIn(expression, metrics)]).toEqual([expression, []]);
    }
  });

  test('select gRPC methods and statuses that exist, wherever they select HTTP predictions', () => {
    const proto = readFileSync(join(root, 'packages/grpc/proto/inference.proto'), 'utf8');
    const methods = new Set([...proto.matchAll(/^ *rpc (\w+)/gm)].map(([, method]) => method));
    const mapping = readFileSync(join(root, 'packages/grpc/src/status.ts'), 'utf8');
    const statuses = new Set(['OK', 'UNKNOWN', ...[...mapping.matchAll(/, status\.(\w+)\]/g)].map(([, name]) => name)]);
    const selected = expressions.filter((expression) => expression.includes('brezel_http_request_seconds'));
    expect(selected.length).toBeGreaterThan(6);
    for (const expression of selected) {
      const used = expression.match(/(?<=brezel_grpc_request_seconds_\w+\{.*method=~?")[^"]*/)?.[0].split('|') ?? [];
      expect([expression, used.length > 0, used.filter((method) => !methods.has(method))]).toEqual([
        expression,
        true,
        [],
      ]);
    }
    const used = expressions.flatMap((expression) => expression.match(/\b[A-Z]{2}[A-Z_]+\b/g) ?? []);
    const names = used.filter((name) => name !== 'POST');
    expect(names.length).toBeGreaterThan(4);
    expect(names.filter((name) => !statuses.has(name))).toEqual([]);
  });

  test.each([
    ['sum(rate(brezel_queue_row[5m]))', ['brezel_queue_row']],
    ['brezel_queue_rows{plan="a"}', ['brezel_queue_rows{plan}']],
    ['sum by (model) (brezel_registry_version_requests_total)', ['model']],
    ['job:brezel_predictions:rate1m > up', ['job:brezel_predictions:rate1m']],
  ])('%s would be found', (expression, unknown) => {
    expect(unknownIn(expression, metrics)).toEqual(unknown);
  });

  test('each recorded rule keeps the labels in its name', () => {
    for (const { record, expr } of rules) {
      if (record === undefined || expr.startsWith('histogram_quantile')) continue;
      const level = record.split(':', 1)[0]!.split('_');
      expect([record, [...new Set(groupsOf(expr))].sort()]).toEqual([record, level.sort()]);
    }
  });
});

describe('docs/guides/several-servers.md', () => {
  const page = readFileSync(join(root, 'docs/guides/several-servers.md'), 'utf8');

  test('names flags and files that exist', async () => {
    const blocks = [...page.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, block]) => block!);
    expect(blocks).toHaveLength(7);
    const { out: help } = await brezel(['serve', '--help']);
    const serves = blocks.join('').match(/^npx brezel serve .*$/gm)!;
    expect(serves).toHaveLength(3);
    for (const flag of serves.join(' ').match(/--[a-z-]+/g)!) expect(help).toContain(`  ${flag} `);
    for (const block of blocks) {
      const cwd = join(root, /^cd (\S+)$/m.exec(block)?.[1] ?? '.');
      const files = block.match(/(?<=[ =])[\w./-]+\.(?:yml|yaml|cfg)\b/g) ?? [];
      for (const file of files) expect([file, existsSync(join(cwd, file))]).toEqual([file, true]);
    }
  });

  test('lists all alerts', () => {
    const listed = [...page.matchAll(/^\| `(Brezel\w+)` \|/gm)].map(([, alert]) => alert);
    expect(listed).toEqual(rules.flatMap(({ alert }) => alert ?? []));
  });
});

describe('the dashboard', () => {
  test('has unique panels that do not overlap, and one variable for the data source', () => {
    const { panels, templating } = dashboard;
    const dataSource = `$\{${templating.list[0]!.name}}`;
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    expect(new Set(panels.map(({ title }) => title)).size).toBe(panels.length);
    const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) => {
      expect([x >= 0, x + w <= 24]).toEqual([true, true]);
      return Array.from({ length: w * h }, (_, cell) => `${x + (cell % w)} ${y + Math.floor(cell / w)}`);
    });
    expect(new Set(cells).size).toBe(cells.length);
    for (const { datasource, targets, type } of panels) {
      expect([type, datasource.uid, targets.length > 0]).toEqual(['timeseries', dataSource, true]);
      expect(new Set(targets.map(({ refId }) => refId)).size).toBe(targets.length);
      for (const target of targets) expect(target.datasource.uid).toBe(dataSource);
    }
    expect(templating.list.map(({ name, type }) => [name, type])).toEqual([
      ['datasource', 'datasource'],
      ['job', 'query'],
      ['instance', 'query'],
    ]);
  });

  test('uses only variables that exist', () => {
    const names = new Set([...dashboard.templating.list.map(({ name }) => name), '__rate_interval']);
    for (const expression of panelExpressions)
      for (const [, name] of expression.matchAll(/\$\{?(\w+)/g))
        expect([expression, names.has(name!)]).toEqual([expression, true]);
  });
});

describe.skipIf(!hasPromtool)('promtool', () => {
  const promtool = (...args: readonly string[]) => {
    const { status, stdout, stderr } = spawnSync('promtool', args, { encoding: 'utf8' });
    return { status, text: stdout + stderr };
  };

  test('accepts the configuration and the rules, and the rules give the expected values and alerts', () => {
    for (const [command, file] of [
      ['check config', 'prometheus.yml'],
      ['check rules', 'brezel.rules.yml'],
      ['test rules', 'brezel.rules.test.yml'],
    ] as const) {
      const { status, text } = promtool(...command.split(' '), join(deploy, 'prometheus', file));
      expect([status, text]).toEqual([0, expect.stringContaining('SUCCESS')]);
    }
  });

  test('parses the expressions of the dashboard and of the autoscalers', () => {
    const parsed = (all: readonly string[]) => {
      const checked = all.map((expr, index) => ({
        record: `checked:${index}`,
        expr: expr.replaceAll('$__rate_interval', '5m').replaceAll('$job', 'brezel').replaceAll('$instance', '.*'),
      }));
      const file = folder.file('panels.yml', JSON.stringify({ groups: [{ name: 'panels', rules: checked }] }));
      return promtool('check', 'rules', file);
    };
    const queries = adapter.rules.custom.map(({ metricsQuery }) =>
      metricsQuery.replace('<<.GroupBy>>', 'pod').replace('<<.LabelMatchers>>', 'pod="a"'),
    );
    const { status, text } = parsed([...panelExpressions, ...kedaQueries, ...queries]);
    expect([status, text]).toEqual([0, expect.stringContaining(`${panelExpressions.length + 2} rules found`)]);
    expect(parsed(['sum(rate(brezel_queue_rows[5m])']).status).not.toBe(0);
  });
});

describe('the manifests of Kubernetes', () => {
  interface Container {
    readonly args: readonly string[];
    readonly ports: readonly { readonly name: string; readonly containerPort: number }[];
  }
  interface Manifest {
    readonly kind: string;
    readonly metadata: { readonly name: string };
    // biome-ignore lint/suspicious/noExplicitAny: a file without a published definition
    readonly spec: any;
  }
  const [deployment, service] = loadAll(read('kubernetes/deployment.yaml')) as [Manifest, Manifest];
  const scaler = load(read('kubernetes/autoscaler.yaml')) as Manifest;

  test('agree with each other', () => {
    expect([deployment.kind, service.kind, scaler.kind]).toEqual(['Deployment', 'Service', 'HorizontalPodAutoscaler']);
    const { selector, template } = deployment.spec;
    expect([selector.matchLabels, service.spec.selector]).toEqual([template.metadata.labels, template.metadata.labels]);
    expect(scaler.spec.scaleTargetRef).toEqual({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      name: deployment.metadata.name,
    });
    const [pods] = scaler.spec.metrics;
    expect(pods.pods.metric.name).toBe(adapter.rules.custom[0].name.as);
    const [container] = template.spec.containers as [Container];
    expect(container.ports).toEqual([{ name: 'http', containerPort: 8080 }]);
    expect(service.spec.ports[0].targetPort).toBe('http');
    const mounts = template.spec.containers[0].volumeMounts.map(({ name }: { name: string }) => name);
    expect(mounts).toEqual(template.spec.volumes.map(({ name }: { name: string }) => name));
  });
});
