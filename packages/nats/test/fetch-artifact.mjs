// Fetches an artifact in a separate process, and prints `fetched` or the code of the error.
// Arguments: the address of NATS, the id of the artifact, and the cache folder.
import { openArtifacts } from '../dist/index.js';

const [servers, artifact, cacheFolder] = process.argv.slice(2);
const artifacts = await openArtifacts({ servers, cacheFolder });
const result = await artifacts.fetch(artifact).then(
  () => 'fetched',
  (error) => error.code ?? String(error),
);
process.stdout.write(`${result}\n`);
await artifacts.close();
