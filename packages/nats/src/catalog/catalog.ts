import type { NatsConnection } from '@nats-io/transport-node';
import { Artifacts } from '../artifacts/artifacts.js';
import { openConnection } from '../connection/connection-options.js';
import { natsError } from '../errors.js';
import { type CatalogOptions, checkedCatalog } from '../options.js';
import { askServers } from '../placement/ask-servers.js';
import { type PlacementReport, placementReport } from '../placement/report.js';
import { CatalogBucket } from './catalog-bucket.js';
import {
  type CatalogModel,
  checkName,
  DEFAULT_ALIAS,
  promoted,
  rolledBack,
  scaled,
  withCanary,
  withoutVersion,
  withVersion,
} from './model-entry.js';

/** A plan that `Catalog.push` has added. */
export interface PushedModel {
  readonly name: string;
  readonly version: string;
  readonly artifact: string;
  /** The size of the fleet file. */
  readonly bytes: number;
  /** The bytes of the file that the object store did not have before. */
  readonly sentBytes: number;
}

/**
 * The models of a cluster; `openCatalog` creates it. Servers that follow the catalog load its
 * models. Several clients may change it at the same time.
 */
export class Catalog {
  readonly #bucket: CatalogBucket;
  readonly #artifacts: Artifacts;
  readonly #connection: NatsConnection;
  #isClosed = false;

  /** Only `openCatalog` calls the constructor. */
  constructor(bucket: CatalogBucket, artifacts: Artifacts, connection: NatsConnection) {
    this.#bucket = bucket;
    this.#connection = connection;
    this.#artifacts = artifacts;
  }

  /**
   * Stores a fleet file, and adds each of its plans as a version of the model with the plan's name.
   * The aliases do not change, but the first version of a model gets the alias `default`. If the
   * call fails in the middle, call it again: a version that exists is not added again.
   *
   * @param options.version the version of all plans. Default: for each model, the largest integer
   * version plus one.
   * @throws ERR_NATS_CATALOG if the version exists with another content; the errors of
   * `Artifacts.push`
   */
  async push(path: string, options: { readonly version?: string | number } = {}): Promise<PushedModel[]> {
    this.#checkOpen();
    const label = options.version === undefined ? undefined : checkName('version', `${options.version}`);
    const { artifact, plans, bytes, sentBytes, contents } = await this.#artifacts.push(path);
    for (const plan of plans) checkName('name', plan);
    const pushed: PushedModel[] = [];
    for (const [index, name] of plans.entries()) {
      const content = { artifact, plan: name, ...contents[index]! };
      const version = await this.#bucket.change(name, (before) => {
        const { model, version: added } = withVersion(before, name, content, label);
        return { model, result: added };
      });
      pushed.push({ name, version, artifact, bytes, sentBytes });
    }
    return pushed;
  }

  /** Returns the models in the order of their names. */
  async list(): Promise<CatalogModel[]> {
    this.#checkOpen();
    return (await this.#bucket.list()).sort((one, other) => (one.name < other.name ? -1 : 1));
  }

  /**
   * Points an alias to a version, and ends a canary of the alias. Creates a missing alias.
   *
   * @param reference `name:alias`, or the name alone for the alias `default`
   */
  promote(reference: string, version: string | number): Promise<CatalogModel> {
    return this.#changeAlias(reference, (model, alias) => promoted(model, alias, `${version}`));
  }

  /** Sends a percentage of the requests of an alias to another version. */
  canary(
    reference: string,
    { to, percent }: { readonly to: string | number; readonly percent: number },
  ): Promise<CatalogModel> {
    return this.#changeAlias(reference, (model, alias) => withCanary(model, alias, { version: `${to}`, percent }));
  }

  /** Undoes the last change of an alias. Up to 16 changes can be undone. */
  rollback(reference: string): Promise<CatalogModel> {
    return this.#changeAlias(reference, rolledBack);
  }

  /**
   * Removes a version (`name@version`) that no alias uses, or a model (`name`). The objects of the
   * artifacts stay in the object store.
   */
  async remove(reference: string): Promise<void> {
    this.#checkOpen();
    const [name = '', version] = reference.split('@');
    checkName('name', name);
    await this.#bucket.change(name, (before) => {
      if (before === undefined) throw unknownModel(name);
      return { model: version === undefined ? undefined : withoutVersion(before, version), result: undefined };
    });
  }

  /**
   * Sets the number of servers that load a model. Servers place models if they have a limit of
   * memory (`memoryBytes` of `followCatalog`, `--memory` of `brezel serve`).
   *
   * @param replicas 1 to 1000. If there are fewer servers, all of them load the model.
   */
  scale(name: string, replicas: number): Promise<CatalogModel> {
    return this.#changeModel(name, (model) => scaled(model, replicas));
  }

  /**
   * Asks the servers for their models, and computes where each model of the catalog is placed and
   * why.
   */
  async placement(): Promise<PlacementReport> {
    this.#checkOpen();
    const [models, servers] = await Promise.all([this.#bucket.list(), askServers(this.#connection)]);
    return placementReport(models, servers);
  }

  /** Closes the connection if `openCatalog` opened it. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#artifacts.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #changeAlias(
    reference: string,
    change: (model: CatalogModel, alias: string) => CatalogModel,
  ): Promise<CatalogModel> {
    this.#checkOpen();
    const [name = '', alias = DEFAULT_ALIAS, ...more] = `${reference}`.split(':');
    checkName('alias', [alias, ...more].join(':'));
    return this.#changeModel(name, (model) => change(model, alias));
  }

  async #changeModel(name: string, change: (model: CatalogModel) => CatalogModel): Promise<CatalogModel> {
    this.#checkOpen();
    checkName('name', name);
    return this.#bucket.change(name, (before) => {
      if (before === undefined) throw unknownModel(name);
      const model = change(before);
      return { model, result: model };
    });
  }

  #checkOpen(): void {
    if (this.#isClosed) throw natsError('ERR_NATS_CLOSED');
  }
}

const unknownModel = (name: string) =>
  natsError('ERR_NATS_CATALOG', { expected: 'a model of the catalog', received: JSON.stringify(name) });

/**
 * Opens the catalog of a cluster: a key-value bucket and an object store of NATS with JetStream.
 * Creates the buckets if they are missing.
 *
 * @throws ERR_NATS_OPTION, ERR_NATS_SERVER_URL, ERR_NATS_CREDENTIALS, ERR_NATS_CONNECTION,
 * ERR_NATS_STORE
 * @example
 * const catalog = await openCatalog({ servers: 'nats://nats.internal:4222' });
 * await catalog.push('models.brezel');
 * await catalog.promote('sentiment', 2);
 * await catalog.close();
 */
export async function openCatalog(options: CatalogOptions): Promise<Catalog> {
  const { catalog, ...checked } = checkedCatalog(options, 'openCatalog');
  const open = await openConnection(options, checked.name);
  const artifacts = new Artifacts(open, checked);
  try {
    return new Catalog(await CatalogBucket.open(open.connection, catalog, checked.stallMs), artifacts, open.connection);
  } catch (error) {
    await artifacts.close();
    throw error;
  }
}
