// A model server in a separate process. Arguments: the address of NATS, and the path of a model.
import { createRegistry } from 'brezel';
import { joinCluster } from '../dist/index.js';

const [url, model] = process.argv.slice(2);
const registry = await createRegistry();
registry.add('text', model);
await registry.load('text');
await joinCluster({ registry, servers: url });
process.stdout.write('ready\n');
