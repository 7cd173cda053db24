import { join } from 'node:path';
import { openArtifacts, openCatalog } from '@brezel/nats';
import type { ObjectStore } from '@brezel/object-store';
import { member, pack } from '../../../nats/test/fleet-files.js';
import { startNats } from '../../../nats/test/nats-server.js';

/** The variables of the examples of `@brezel/nats`. */
export interface NatsExamples {
  /** Returns the variables of an example whose registry has this store. */
  names(store: ObjectStore): Promise<Record<string, unknown>>;
  close(): Promise<void>;
}

/**
 * Starts a NATS server whose catalog has two versions of the model `sentiment`. Functions for the
 * examples connect to this server instead of the server in the example, and read files in `folder`.
 */
export async function natsExamples(folder: string): Promise<NatsExamples> {
  const nats = await startNats(0, ['-js', '-sd', join(folder, 'jetstream')]);
  const local = { servers: nats.url, cacheFolder: join(folder, 'artifacts') };
  const file = join(folder, 'models.brezel');
  await pack(file, { sentiment: member(0) });
  const catalog = await openCatalog(local);
  for (const version of [1, 2]) await catalog.push(file, { version });
  const opened: { close(): Promise<void> }[] = [catalog];

  const names = async (store: ObjectStore) => {
    const artifacts = await openArtifacts({ ...local, store });
    opened.push(artifacts);
    const { artifact } = await artifacts.push(file);
    const openLocal = async () => {
      const client = await openCatalog(local);
      return {
        push: (path: string) => client.push(join(folder, path)),
        promote: (name: string, version: number) => client.promote(name, version),
        close: () => client.close(),
      };
    };
    return { artifacts, artifact, openCatalog: openLocal };
  };
  const close = async () => {
    for (const client of opened) await client.close();
    await nats.kill();
  };
  return { names, close };
}
