import { hashOf } from './scores.js';

/** A large parameter of a model: a short checksum of its content, and its size. */
export interface SizedParameter {
  readonly id: string;
  readonly bytes: number;
}

/** The properties of a model that decide where it is placed. */
export interface PlaceableModel {
  readonly name: string;
  /** The number of servers that load the model. */
  readonly replicas: number;
  /** The large parameters of all its versions, each once. */
  readonly parameters: readonly SizedParameter[];
  /** The bytes of the other parameters. */
  readonly otherBytes: number;
}

/** Models that are placed by the same key, because they share a parameter. */
export interface ModelGroup {
  readonly key: string;
  /** The parameter that the models share. Undefined for models that share no parameter. */
  readonly parameter: SizedParameter | undefined;
  /** The number of models of the catalog that have the parameter. */
  readonly sharedBy: number;
  readonly models: readonly PlaceableModel[];
}

/** Models that share nothing are placed by the hash of their names, in this many groups. */
const NAME_GROUPS = 4096;

/**
 * Groups models by their dominant shared parameter: the largest parameter that at
 * least two models have. Groups that share a parameter are first, because they need more room.
 * The order of groups and models depends only on their names, so all servers compute the same
 * groups.
 */
export function groupsOf(models: readonly PlaceableModel[]): ModelGroup[] {
  const users = new Map<string, number>();
  for (const { parameters } of models) for (const { id } of parameters) users.set(id, (users.get(id) ?? 0) + 1);
  const groups = new Map<string, { parameter: SizedParameter | undefined; models: PlaceableModel[] }>();
  for (const model of models) {
    const parameter = dominantOf(model, users);
    const key = parameter === undefined ? `name ${hashOf(model.name) % NAME_GROUPS}` : `parameter ${parameter.id}`;
    const group = groups.get(key) ?? { parameter, models: [] };
    group.models.push(model);
    groups.set(key, group);
  }
  return [...groups]
    .sort((one, other) => Number(isShared(other)) - Number(isShared(one)) || (one[0] < other[0] ? -1 : 1))
    .map(([key, { parameter, models: members }]) => ({
      key,
      parameter,
      sharedBy: parameter === undefined ? 1 : users.get(parameter.id)!,
      models: inOrder(members),
    }));
}

const isShared = ([, { parameter }]: readonly [string, { readonly parameter: SizedParameter | undefined }]): boolean =>
  parameter !== undefined;

function dominantOf({ parameters }: PlaceableModel, users: ReadonlyMap<string, number>): SizedParameter | undefined {
  let dominant: SizedParameter | undefined;
  for (const parameter of parameters) {
    if (users.get(parameter.id)! < 2) continue;
    const { bytes, id } = dominant ?? { bytes: 0, id: '' };
    if (parameter.bytes > bytes || (parameter.bytes === bytes && parameter.id < id)) dominant = parameter;
  }
  return dominant;
}

/** Sorts models by the hashes of their names, so that new names do not move the others. */
function inOrder(models: readonly PlaceableModel[]): PlaceableModel[] {
  const hashed = models.map((model) => ({ model, hash: hashOf(model.name) }));
  hashed.sort((one, other) => one.hash - other.hash || (one.model.name < other.model.name ? -1 : 1));
  return hashed.map(({ model }) => model);
}
