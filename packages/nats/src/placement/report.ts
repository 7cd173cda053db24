import type { CatalogModel } from '../catalog/model-entry.js';
import { placeModels, type ServerShare, type SkippedServer } from './place-models.js';
import { placeable } from './placeable.js';
import type { ServerState } from './server-state.js';

/** A server, its share of the models, and the models that it serves. */
export interface PlacedServer extends ServerShare {
  readonly answers: readonly string[];
  /** Whether the server ends soon. It gets no models. */
  readonly isLeaving: boolean;
}

/** Where a model of the catalog is placed, and why. */
export interface PlacedModel {
  readonly name: string;
  /** The number of servers that load the model. */
  readonly replicas: number;
  /** How many of the replicas it has because of its load. */
  readonly extraReplicas: number;
  /** The servers that the model is placed on. */
  readonly servers: readonly string[];
  /** The servers that serve the model now. */
  readonly answeredBy: readonly string[];
  /**
   * The parameter that decides the order of servers, and how many models share it. Undefined if the
   * model shares no large parameter: its name decides.
   */
  readonly parameter?: { readonly id: string; readonly bytes: number; readonly sharedBy: number };
  /** The servers with higher scores that have no room, and what they lack. */
  readonly skipped: readonly SkippedServer[];
  /** Whether a server gets the model although its memory is too small for it. */
  readonly exceedsMemory: boolean;
}

/** The placement of the models of a catalog. */
export interface PlacementReport {
  readonly servers: readonly PlacedServer[];
  readonly models: readonly PlacedModel[];
}

/** Computes a placement as the servers do, and compares it with the models that they serve. */
export function placementReport(models: readonly CatalogModel[], states: readonly ServerState[]): PlacementReport {
  const { models: placed, servers: shares } = placeModels(
    models.map(placeable),
    states.filter(({ isLeaving }) => !isLeaving),
  );
  const shareOf = new Map(shares.map((share) => [share.name, share]));
  const servers = states
    .toSorted((one, other) => (one.name < other.name ? -1 : 1))
    .map(({ name, memoryBytes, models: answers, isLeaving = false }) => ({
      ...(shareOf.get(name) ?? { name, memoryBytes, models: 0, mostModels: 0, bytes: 0 }),
      answers,
      isLeaving,
    }));
  return { servers, models: models.map((model) => explained(model, placed.get(model.name)!, states)) };
}

type Placed = NonNullable<ReturnType<ReturnType<typeof placeModels>['models']['get']>>;

function explained(model: CatalogModel, placed: Placed, states: readonly ServerState[]): PlacedModel {
  const { name, replicas = 1, extraReplicas = 0 } = model;
  const { servers, skipped, exceedsMemory, group } = placed;
  return {
    name,
    replicas: replicas + extraReplicas,
    extraReplicas,
    servers,
    answeredBy: states.filter(({ models }) => models.includes(name)).map((state) => state.name),
    ...(group.parameter && { parameter: { ...group.parameter, sharedBy: group.sharedBy } }),
    skipped,
    exceedsMemory,
  };
}
