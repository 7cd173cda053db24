import type { PlacedModel, PlacedServer, PlacementReport } from '@brezel/nats';
import { columns, printable, printBytes } from './table.js';

/** Returns the placement of models as text: a table of servers, and a paragraph for each model. */
export function placementText({ servers, models }: PlacementReport): string {
  if (servers.length === 0)
    return 'no server places models: start servers with --join, --catalog and --memory, or their reports do not arrive';
  const rows = servers.map((server) => [
    printable(server.name),
    `${server.models} (at most ${server.mostModels})`,
    `${server.answers.length}`,
    printBytes(server.bytes),
    printBytes(server.memoryBytes),
    server.isLeaving ? 'leaving' : '',
  ]);
  const table = columns([['server', 'models', 'answers', 'parameters', 'memory', ''], ...rows]);
  const mostOf = new Map(servers.map((server) => [server.name, server]));
  return [table, ...models.map((model) => modelText(model, mostOf))].join('\n\n');
}

function modelText(model: PlacedModel, servers: ReadonlyMap<string, PlacedServer>): string {
  const { name, replicas, extraReplicas, parameter, skipped, exceedsMemory } = model;
  const lines = [`${printable(name)}: ${listOf(model.servers)}`];
  if (parameter === undefined) lines.push('shares no large parameter: its name decides the order of servers');
  else
    lines.push(
      `${parameter.sharedBy} models share parameter ${parameter.id} (${printBytes(parameter.bytes)}): it decides the order`,
    );
  lines.push(
    `${replicas} ${replicas === 1 ? 'replica' : 'replicas'}${extraReplicas > 0 ? `, ${extraReplicas} of them because of its load` : ''}`,
  );
  for (const { server, reason } of skipped)
    lines.push(
      reason === 'models'
        ? `${printable(server)} has a higher score, but has its ${servers.get(server)?.mostModels} models`
        : `${printable(server)} has a higher score, but lacks memory`,
    );
  if (exceedsMemory) lines.push('no server has enough memory for it');
  if (model.answeredBy.toSorted().join() !== [...model.servers].sort().join())
    lines.push(`answered by ${listOf(model.answeredBy)} now`);
  return lines.join('\n  ');
}

const listOf = (servers: readonly string[]): string => servers.map(printable).join(', ') || 'no server';
