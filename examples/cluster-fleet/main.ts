import cluster from 'node:cluster';
import { serve, startServing } from './processes.js';

// npm run example cluster-fleet: two processes serve one fleet file. The operating system maps the
// file into both, so the parameters are in memory once.
if (cluster.isPrimary) await startServing(2);
else await serve();
