import { groupsOf, type ModelGroup, type PlaceableModel } from './groups.js';
import { hashOf, scoreOf } from './scores.js';

/** A server that can load models. */
export interface PlacementServer {
  readonly name: string;
  readonly memoryBytes: number;
}

/** Why a server with a higher score did not get a model. */
export interface SkippedServer {
  readonly server: string;
  readonly reason: 'models' | 'memory';
}

/** The servers of a model, and why it has them. */
export interface ModelPlacement {
  /** The names of the servers, those with the highest scores first. */
  readonly servers: readonly string[];
  /** The servers with higher scores that have no room. */
  readonly skipped: readonly SkippedServer[];
  /** Whether a server gets the model although its memory is too small for it. */
  readonly exceedsMemory: boolean;
  readonly group: Omit<ModelGroup, 'models'>;
}

/** The models of one server. */
export interface ServerShare {
  readonly name: string;
  readonly memoryBytes: number;
  readonly models: number;
  /** The largest number of models, unless all servers are full. */
  readonly mostModels: number;
  /** The bytes of the parameters of the models. A parameter of several models counts once. */
  readonly bytes: number;
}

/** The servers of each model. */
export interface Placement {
  readonly models: ReadonlyMap<string, ModelPlacement>;
  readonly servers: readonly ServerShare[];
}

/** A server gets at most this multiple of its share of the models. */
const MOST_LOAD = 1.15;

/** A server, with the models that were placed on it so far. */
class FillingServer {
  readonly name: string;
  readonly memoryBytes: number;
  readonly hash: number;
  readonly mostModels: number;
  readonly #parameters = new Set<string>();
  models = 0;
  bytes = 0;

  constructor({ name, memoryBytes }: PlacementServer, mostModels: number) {
    this.name = name;
    this.memoryBytes = memoryBytes;
    this.hash = hashOf(name);
    this.mostModels = mostModels;
  }

  /** Returns the bytes that the server would need in addition. */
  bytesFor({ parameters, otherBytes }: PlaceableModel): number {
    let bytes = otherBytes;
    for (const parameter of parameters) if (!this.#parameters.has(parameter.id)) bytes += parameter.bytes;
    return bytes;
  }

  add(model: PlaceableModel): void {
    this.models++;
    this.bytes += this.bytesFor(model);
    for (const { id } of model.parameters) this.#parameters.add(id);
  }

  hasRoom(model: PlaceableModel): boolean {
    return this.hasMemory(model) && this.models < this.mostModels;
  }

  hasMemory(model: PlaceableModel): boolean {
    return this.bytes + this.bytesFor(model) <= this.memoryBytes;
  }
}

/**
 * Computes which servers load each model. Models that share their dominant parameter have the same
 * order of servers (weighted rendezvous hashing), so they are on the same servers. A server whose
 * memory is full, or that has 1.15 times its share of the models, is skipped.
 *
 * The result depends only on the arguments, so that all servers of a cluster compute the same
 * placement. Yields after each group, so that the caller can run other work.
 *
 * Cost: O(groups · servers), about 50 ns each.
 */
export function* placingSteps(
  models: readonly PlaceableModel[],
  servers: readonly PlacementServer[],
): Generator<void, Placement> {
  const copies = models.reduce((sum, { replicas }) => sum + Math.min(replicas, servers.length), 0);
  const memory = servers.reduce((sum, { memoryBytes }) => sum + memoryBytes, 0);
  const filling = servers
    .toSorted((one, other) => (one.name < other.name ? -1 : 1))
    .map((server) => new FillingServer(server, Math.ceil((MOST_LOAD * copies * server.memoryBytes) / memory)));
  const placed = new Map<string, ModelPlacement>();
  for (const { models: members, ...group } of groupsOf(models)) {
    const order = ordered(filling, group.key);
    for (const model of members) placed.set(model.name, { ...placeOne(model, order), group });
    yield;
  }
  return {
    models: placed,
    servers: filling.map(({ name, memoryBytes, models: count, mostModels, bytes }) => ({
      name,
      memoryBytes,
      models: count,
      mostModels,
      bytes,
    })),
  };
}

/** Computes a placement at once. */
export function placeModels(models: readonly PlaceableModel[], servers: readonly PlacementServer[]): Placement {
  const steps = placingSteps(models, servers);
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** Returns the servers, those with the highest scores for a key first. */
function ordered(servers: readonly FillingServer[], key: string): FillingServer[] {
  const hash = hashOf(key);
  const scored = servers.map((server) => ({ server, score: scoreOf(server.hash, hash, server.memoryBytes) }));
  return scored.sort((one, other) => other.score - one.score).map(({ server }) => server);
}

function placeOne(model: PlaceableModel, order: readonly FillingServer[]): Omit<ModelPlacement, 'group'> {
  const wanted = Math.min(model.replicas, order.length);
  const chosen: FillingServer[] = [];
  // If all servers have their share of the models, memory decides, and then only the score.
  for (const accepts of preferences)
    for (const server of order) {
      if (chosen.length === wanted) break;
      if (!chosen.includes(server) && accepts(server, model)) chosen.push(server);
    }
  const last = chosen.reduce((most, server) => Math.max(most, order.indexOf(server)), 0);
  const skipped = order.slice(0, last).filter((server) => !chosen.includes(server));
  const placed = {
    servers: chosen.map(({ name }) => name),
    skipped: skipped.map((server) => ({ server: server.name, reason: reasonOf(server, model) })),
    exceedsMemory: chosen.some((server) => !server.hasMemory(model)),
  };
  for (const server of chosen) server.add(model);
  return placed;
}

const preferences: readonly ((server: FillingServer, model: PlaceableModel) => boolean)[] = [
  (server, model) => server.hasRoom(model),
  (server, model) => server.hasMemory(model),
  () => true,
];

const reasonOf = (server: FillingServer, model: PlaceableModel): SkippedServer['reason'] =>
  server.hasMemory(model) ? 'models' : 'memory';
