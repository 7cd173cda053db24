import type { CatalogFollower } from '@brezel/nats';
import type { AddOptions, ModelRegistry } from 'brezel';
import { readBytes } from '../files.js';
import { loadNats } from './load-server.js';

/** The flags of a server that follows a catalog. */
interface FollowerFlags {
  readonly join?: readonly string[];
  readonly name?: string;
  /** The path of a PEM file with the key that must have signed the files. */
  readonly catalogKey?: string;
  /** The memory for models in bytes. Undefined if the server loads all models. */
  readonly memory?: number;
}

/** The parts of the process that a follower uses. */
interface FollowerParts {
  readonly registry: ModelRegistry;
  /** How the runtime registers the models. */
  readonly options: AddOptions;
}

/**
 * Follows the catalog of the cluster, and waits until the models that it has now are loaded. A
 * model that cannot be loaded is reported on standard error.
 *
 * @throws the errors of `followCatalog`, ERR_CLI_FILE
 */
export async function startFollower(
  { registry, options }: FollowerParts,
  { join, name, catalogKey, memory }: FollowerFlags,
): Promise<CatalogFollower> {
  const trustedKeys = catalogKey === undefined ? undefined : [(await readBytes(catalogKey)).toString()];
  const { followCatalog } = await loadNats();
  const follower = await followCatalog({
    registry,
    servers: join!,
    register: options,
    ...(name !== undefined && { name }),
    ...(trustedKeys && { trustedKeys }),
    ...(memory !== undefined && { memoryBytes: memory }),
  });
  await follower.synchronized();
  return follower;
}
