import { isSha256 } from '../artifacts/recipe.js';
import { natsError } from '../errors.js';

/** A version of a model: a plan of an artifact. */
export interface CatalogVersion {
  readonly version: string;
  readonly artifact: string;
  readonly plan: string;
  /** The bytes of all parameters. */
  readonly bytes?: number;
  /** The largest parameters: short checksums of their contents, and their bytes. */
  readonly parameters?: readonly (readonly [id: string, bytes: number])[];
}

/** A version that receives a share of the requests to an alias. */
export interface CatalogCanary {
  readonly version: string;
  /** The share of the requests, from 0 to 100. */
  readonly percent: number;
}

/** The versions to which an alias sends requests. */
export interface AliasState {
  readonly version: string;
  readonly canary?: CatalogCanary;
}

/** An alias of a model. `previous` has the states before its last changes, the oldest first. */
export interface CatalogAlias extends AliasState {
  readonly alias: string;
  readonly previous: readonly AliasState[];
}

/** A model of the catalog. The first version of a model gets the alias `default`. */
export interface CatalogModel {
  readonly name: string;
  readonly versions: readonly CatalogVersion[];
  readonly aliases: readonly CatalogAlias[];
  /** Versions that were removed. A version never gets another content. */
  readonly removed: readonly string[];
  /** The number of servers that load the model, if models are placed. Default 1. */
  readonly replicas?: number;
  /** The number of further servers that load the model while it has many requests. */
  readonly extraReplicas?: number;
}

export const DEFAULT_ALIAS = 'default';
const FORMAT = 'brezel-catalog-1';
const MAX_PREVIOUS = 16;
const MAX_ITEMS = 1000;
const MAX_REMOVED = 10_000;
const MAX_CHARACTERS = 128;
const MAX_PARAMETERS = 8;
/** The largest number of servers of a model. */
export const MAX_REPLICAS = 1000;
export const MAX_ENTRY_BYTES = 2 ** 19;
const NAME = /^[^@:\p{Cc}]+$/u;

const isName = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= MAX_CHARACTERS && NAME.test(value) && value.isWellFormed();

/**
 * Checks a name, a version or an alias of the catalog.
 * @throws ERR_NATS_CATALOG
 */
export function checkName(what: string, value: unknown): string {
  if (isName(value)) return value;
  const expected = `a ${what} of at most ${MAX_CHARACTERS} characters without "@", ":" and control characters`;
  throw rejected(expected, typeof value === 'string' ? JSON.stringify(value.slice(0, MAX_CHARACTERS)) : typeof value);
}

export const encodeModel = (model: CatalogModel): string => JSON.stringify({ format: FORMAT, ...model });

/**
 * Decodes and checks an entry of the catalog.
 * @throws ERR_NATS_CATALOG
 */
export function decodeModel(bytes: Uint8Array, at: string): CatalogModel {
  const { format, name, versions, aliases, removed, replicas, extraReplicas } = objectIn(parsed(bytes));
  const isValid =
    format === FORMAT &&
    isName(name) &&
    isList(versions, isVersion) &&
    isList(aliases, isAlias) &&
    isRemoved(removed) &&
    [replicas ?? 1, extraReplicas ?? 0].every(isReplicas);
  if (!isValid) throw rejected(`an entry of the format ${FORMAT}`, 'another value', at);
  const model = {
    name,
    versions,
    aliases,
    removed,
    ...(replicas !== undefined && { replicas }),
    ...(extraReplicas !== undefined && { extraReplicas }),
  } as CatalogModel;
  const labels = new Set(model.versions.map(({ version }) => version));
  const isComplete =
    labels.size === model.versions.length &&
    new Set(model.aliases.map(({ alias }) => alias)).size === model.aliases.length &&
    model.aliases.some(({ alias }) => alias === DEFAULT_ALIAS) &&
    model.aliases.every((alias) => usedBy(alias).every((version) => labels.has(version)));
  if (isComplete) return model;
  throw rejected('distinct versions and aliases, and aliases of these versions', 'others', at);
}

function parsed(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString());
  } catch {
    return undefined;
  }
}

const objectIn = (value: unknown) => (typeof value === 'object' && value !== null ? value : {}) as Fields;

type Fields = Readonly<Record<string, unknown>>;

const isList = (value: unknown, isItem: (item: Fields) => boolean): boolean =>
  Array.isArray(value) &&
  value.length > 0 &&
  value.length <= MAX_ITEMS &&
  value.every((item) => isItem(objectIn(item)));

const isRemoved = (value: unknown): boolean =>
  Array.isArray(value) && value.length <= MAX_REMOVED && value.every(isName);

const isVersion = ({ version, artifact, plan, bytes = 0, parameters = [] }: Fields): boolean =>
  isName(version) && isSha256(artifact) && typeof plan === 'string' && isSize(bytes) && isParameters(parameters);

const isSize = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 0;

const isReplicas = (value: unknown): boolean => isSize(value) && (value as number) <= MAX_REPLICAS;

const isParameters = (value: unknown): boolean =>
  Array.isArray(value) &&
  value.length <= MAX_PARAMETERS &&
  value.every((item) => Array.isArray(item) && typeof item[0] === 'string' && isSize(item[1]));

const isState = ({ version, canary }: Fields): boolean => {
  if (!isName(version)) return false;
  const { version: other, percent } = objectIn(canary);
  return canary === undefined || (isName(other) && isPercent(percent));
};

const isAlias = ({ alias, previous, ...state }: Fields): boolean =>
  isName(alias) &&
  isState(state) &&
  Array.isArray(previous) &&
  previous.length <= MAX_PREVIOUS &&
  previous.every((item) => isState(objectIn(item)));

const isPercent = (value: unknown): boolean => typeof value === 'number' && value >= 0 && value <= 100;

/** The versions to which an alias sends requests. */
export const usedBy = ({ version, canary }: AliasState): string[] =>
  canary === undefined ? [version] : [version, canary.version];

/**
 * Adds a version to a model. A version with the same content is not added again.
 *
 * @param label the new version. Default: the version with the same content, or the largest integer
 * version plus one.
 * @returns the changed model, and the version
 */
export function withVersion(
  model: CatalogModel | undefined,
  name: string,
  content: Omit<CatalogVersion, 'version'>,
  label: string | undefined,
): { readonly model: CatalogModel; readonly version: string } {
  const { versions = [], aliases = [], removed = [] } = model ?? {};
  const { artifact, plan } = content;
  const same = versions.find(
    (each) => each.artifact === artifact && each.plan === plan && (label ?? each.version) === each.version,
  );
  if (same !== undefined) return { model: model!, version: same.version };
  const version = label ?? nextVersion([...versions.map((each) => each.version), ...removed]);
  if (versions.some((each) => each.version === version))
    throw rejected('a new version', `${name}@${version} with another content`, undefined, 'push another version');
  if (removed.includes(version))
    throw rejected('a new version', `${name}@${version}, which was removed`, undefined, 'push another version');
  if (versions.length === MAX_ITEMS)
    throw rejected(`at most ${MAX_ITEMS} versions`, `${MAX_ITEMS}`, name, 'remove old versions');
  const first: CatalogAlias = { alias: DEFAULT_ALIAS, version, previous: [] };
  return {
    version,
    model: {
      ...model,
      name,
      removed,
      versions: [...versions, { version, ...content }],
      aliases: aliases.length === 0 ? [first] : aliases,
    },
  };
}

function nextVersion(labels: readonly string[]): string {
  const numbers = labels.map((label) => (/^\d{1,9}$/.test(label) ? Number(label) : 0));
  return `${Math.max(0, ...numbers) + 1}`;
}

/** Points an alias to a version, and ends its canary. Creates a missing alias. */
export function promoted(model: CatalogModel, alias: string, version: string): CatalogModel {
  checkVersion(model, version);
  const current = model.aliases.find((each) => each.alias === alias);
  if (current === undefined) {
    if (model.aliases.length === MAX_ITEMS) throw rejected(`at most ${MAX_ITEMS} aliases`, 'one more', model.name);
    return { ...model, aliases: [...model.aliases, { alias, version, previous: [] }] };
  }
  if (current.version === version && current.canary === undefined) return model;
  return replaced(model, { alias, version, previous: remembered(current) });
}

/** Sends a share of the requests of an alias to a version. Starting a canary is one change. */
export function withCanary(model: CatalogModel, alias: string, canary: CatalogCanary): CatalogModel {
  if (!isPercent(canary.percent)) throw rejected('percent from 0 to 100', `${canary.percent}`);
  checkVersion(model, canary.version);
  const current = aliasIn(model, alias);
  if (canary.version === current.version)
    throw rejected('another version than the version of the alias', canary.version, `${model.name}:${alias}`);
  const isSameCanary = current.canary?.version === canary.version;
  const previous = isSameCanary ? current.previous : remembered(current);
  return replaced(model, { alias, version: current.version, canary, previous });
}

/** Undoes the last change of an alias. */
export function rolledBack(model: CatalogModel, alias: string): CatalogModel {
  const { previous } = aliasIn(model, alias);
  const last = previous.at(-1);
  if (last === undefined) throw rejected('an earlier state of the alias', 'none', `${model.name}:${alias}`);
  return replaced(model, { alias, ...last, previous: previous.slice(0, -1) });
}

/**
 * Removes a version that no alias uses. Earlier states of aliases with this version are removed.
 */
export function withoutVersion(model: CatalogModel, version: string): CatalogModel {
  checkVersion(model, version);
  const user = model.aliases.find((alias) => usedBy(alias).includes(version));
  if (user !== undefined) {
    const hint = 'promote the alias to another version first, or end its canary';
    throw rejected('a version that no alias uses', `${model.name}:${user.alias} uses it`, version, hint);
  }
  if (model.removed.length === MAX_REMOVED) throw rejected(`at most ${MAX_REMOVED} removed versions`, 'one more');
  const isKept = (state: AliasState) => !usedBy(state).includes(version);
  return {
    ...model,
    removed: [...model.removed, version],
    versions: model.versions.filter((each) => each.version !== version),
    aliases: model.aliases.map((alias) => ({ ...alias, previous: alias.previous.filter(isKept) })),
  };
}

/** The number of servers that load a model. */
export const replicasOf = ({ replicas = 1, extraReplicas = 0 }: CatalogModel): number => replicas + extraReplicas;

/** Sets the number of servers that load a model. */
export function scaled(model: CatalogModel, replicas: number): CatalogModel {
  if (!Number.isInteger(replicas) || replicas < 1 || replicas > MAX_REPLICAS)
    throw rejected(`1 to ${MAX_REPLICAS} replicas`, `${replicas}`, model.name);
  return (model.replicas ?? 1) === replicas ? model : { ...model, replicas };
}

/**
 * Adds or removes a further server of a hot model. The model has at most one replica on each
 * server.
 */
export function withExtraReplicas(model: CatalogModel, change: number, servers: number): CatalogModel {
  const { replicas = 1, extraReplicas = 0 } = model;
  const most = Math.max(0, servers - replicas);
  const wanted = Math.min(Math.max(0, extraReplicas + change), most);
  return wanted === extraReplicas ? model : { ...model, extraReplicas: wanted };
}

const remembered = ({ version, canary, previous }: CatalogAlias): readonly AliasState[] =>
  [...previous, { version, ...(canary && { canary }) }].slice(-MAX_PREVIOUS);

const replaced = (model: CatalogModel, changed: CatalogAlias): CatalogModel => ({
  ...model,
  aliases: model.aliases.map((each) => (each.alias === changed.alias ? changed : each)),
});

function aliasIn(model: CatalogModel, alias: string): CatalogAlias {
  const found = model.aliases.find((each) => each.alias === alias);
  if (found !== undefined) return found;
  throw rejected('an alias of the model', `${model.name}:${alias}`);
}

function checkVersion({ name, versions }: CatalogModel, version: string): void {
  if (versions.some((each) => each.version === version)) return;
  const known = versions.slice(-5).map((each) => each.version);
  throw rejected(`a version of ${name}, such as ${known.join(', ')}`, version);
}

const rejected = (expected: string, received: string, at?: string, hint?: string) =>
  natsError('ERR_NATS_CATALOG', { expected, received, ...(at && { at }), ...(hint && { hint }) });
