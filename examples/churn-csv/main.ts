import { once } from 'node:events';
import { createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createFlour, createRuntime } from 'brezel';
import { readCustomers, writeCustomers } from './customers.js';
import { churn } from './program.js';

// npm run example churn-csv -- CUSTOMERS: scores a table as a stream, with constant memory.
const count = Number(process.argv[2] ?? 200_000);
const folder = mkdtempSync(join(tmpdir(), 'brezel-churn-'));
const [input, output] = [join(folder, 'customers.csv'), join(folder, 'scores.csv')];
await writeCustomers(input, count);

const flour = await createFlour();
const runtime = createRuntime({ store: flour.store });
const plan = runtime.register(churn(flour).plan());

// The stream accepts rows only. The ids are stored here until the answers arrive, in the same
// order.
const ids: string[] = [];
async function* rows() {
  for await (const { id, row } of readCustomers(input)) {
    ids.push(id);
    yield row;
  }
}

const out = createWriteStream(output);
out.write('id,churn\n');
let [scored, leaving, printed] = [0, 0, 0];
for await (const {
  churn: [probability = 0],
} of runtime.predictStream(plan, rows())) {
  if (!out.write(`${ids.shift()},${probability.toFixed(4)}\n`)) await once(out, 'drain');
  scored++;
  if (probability > 0.5) leaving++;
  const percent = Math.floor((scored / count) * 10) * 10;
  if (percent > printed) console.log(`${percent} %`);
  printed = percent;
}
out.end();
await once(out, 'finish');
console.log(`${scored} customers scored, ${leaving} will probably leave`);

await runtime.close();
flour.dispose();
rmSync(folder, { recursive: true });
