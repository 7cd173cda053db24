import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { joinCluster } from '@brezel/nats';
import { createRegistry } from 'brezel';

/** The folder with the models of the examples. */
const models = fileURLToPath(new URL('../../models/', import.meta.url));

/**
 * Serves the models of the examples on NATS until the process receives SIGTERM.
 *
 * @param servers the address of a NATS server
 */
export async function serve(servers: string): Promise<void> {
  const registry = await createRegistry();
  for (const file of readdirSync(models).filter((name) => name.startsWith('sa-fam-a-')))
    registry.add(file.replace('.onnx', ''), `${models}${file}`);
  await Promise.all(registry.names().map((name) => registry.load(name)));
  const server = await joinCluster({ registry, servers });
  process.once('SIGTERM', async () => {
    await server.close();
    await registry.close();
    process.disconnect?.();
  });
  process.send?.('ready');
}
