// A process that predicts and learns until it is killed. It prints one line for each applied
// feedback. Arguments: `sqlite FILE` or `redis PORT`.
import { createRequire } from 'node:module';
import { createSelection, redisState, sqliteState } from '../dist/index.js';

const [kind, place] = process.argv.slice(2);

/** Opens the store that the arguments name. */
async function openState() {
  if (kind === 'sqlite') {
    const { DatabaseSync } = await import('node:sqlite');
    const database = new DatabaseSync(place, { timeout: 60_000 });
    database.exec('PRAGMA journal_mode = WAL');
    return sqliteState(database);
  }
  const { createClient } = createRequire(new URL('stores/package.json', import.meta.url))('redis');
  const client = createClient({ url: `redis://127.0.0.1:${place}` });
  client.on('error', () => {});
  await client.connect();
  return redisState(client, { timeoutMs: 60_000 });
}

// This policy counts its feedback, so that a test can compare the count with the lines.
const counting = {
  name: 'counting',
  init: () => 0,
  select: (_state, { candidates }) => ({ ask: candidates, probabilities: { one: 1 } }),
  combine: (_state, { join }) => join({ one: 1 }),
  observe: (state) => state + 1,
  weights: (state) => ({ one: state }),
};
const app = createSelection({
  candidates: { one: () => 1 },
  loss: () => 0,
  policy: counting,
  state: await openState(),
});
const { one } = await app.weights();
console.log(`start ${one}`);
if (process.argv[4] === 'read') process.exit();
for (;;) {
  const { query } = await app.predict(null, { context: 'user 7' });
  await app.feedback(query, null);
  console.log('applied');
}
