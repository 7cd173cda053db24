import { followCatalog, joinCluster } from '@brezel/nats';
import { createRegistry } from 'brezel';

/** The arguments of a server process. */
export interface ServerArguments {
  readonly servers: string;
  readonly name: string;
  readonly cacheFolder: string;
  /** The names of the buckets. */
  readonly catalog: string;
  readonly bucket: string;
}

/** Loads the models that are placed on this process, and answers requests until SIGTERM. */
export async function serve({ servers, name, cacheFolder, catalog, bucket }: ServerArguments): Promise<void> {
  const registry = await createRegistry();
  const follower = await followCatalog({
    registry,
    servers,
    name,
    cacheFolder,
    catalog,
    bucket,
    memoryBytes: 2 ** 30,
    heartbeatMs: 500,
  });
  await follower.synchronized();
  const server = await joinCluster({ registry, servers, name, logError: () => {} });
  process.once('SIGTERM', async () => {
    await follower.leave(); // the other servers load the models first
    await server.close();
    await follower.close();
    await registry.close();
    process.disconnect?.();
  });
  process.send?.('ready');
}
