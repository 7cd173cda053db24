// One trial: a fresh process opens a fleet file, registers every plan, and answers once by each. Started by macro/fleet-file.mjs.
// Parameters: the file, then `verify`, `prefault`, `half` (memory is measured after half of the plans, too), `wait` (for a message before memory is
// measured) in any number.
import { createRuntime, openFleet, openStore } from 'brezel';
import { parameters, send } from '../lib/child.mjs';
import { settled } from '../lib/rss.mjs';

const TEXT = 'Not a bad film at all; the second half, though, is a bore.';
const [file, ...flags] = parameters;

const store = await openStore(); // compiles the checksum's WebAssembly module
const before = await settled();
const start = performance.now();
const fleet = await openFleet(file, { store, verify: flags.includes('verify'), prefault: flags.includes('prefault') });
const runtime = createRuntime({ store });
const opened = performance.now();

/** @param {string} name */
function load(name) {
  const compiled = fleet.plan(name);
  const plan = runtime.register(compiled);
  compiled.release();
  return plan;
}

const [firstName, ...names] = fleet.names;
/** @param {ReturnType<typeof load>} plan */
function ask(plan) {
  const asked = performance.now();
  runtime.predictSync(plan, TEXT);
  return performance.now() - asked;
}

const plans = [load(/** @type {string} */ (firstName))]; // its dictionary is checked, once a process
const first = performance.now();
const middle = flags.includes('half') ? Math.floor(names.length / 2) : 0;
for (const name of names.slice(0, middle)) plans.push(load(name));
for (const plan of middle > 0 ? plans : []) ask(plan);
const half = middle > 0 ? { plans: middle + 1, ...(await settled()), heap: process.memoryUsage().heapUsed } : undefined;
const again = performance.now();
for (const name of names.slice(middle)) plans.push(load(name));
const rest = performance.now();

const predictMs = plans.map(ask);
const againMs = plans.map((plan) => Math.min(...Array.from({ length: 5 }, () => ask(plan))));
fleet.close();

if (flags.includes('wait')) {
  const told = new Promise((resolve) => process.once('message', resolve));
  process.send?.({ ready: true });
  await told;
}
const after = await settled();
const heap = process.memoryUsage().heapUsed;
await send({
  openMs: opened - start,
  firstMs: first - opened,
  furtherMs: rest - again,
  predictMs,
  againMs,
  half,
  heap,
  ...after,
  heldBytes: after.rss - before.rss,
  heldAnonymous: after.anonymous - before.anonymous,
});
for (const plan of plans) runtime.predictSync(plan, TEXT); // all are alive until here
process.disconnect?.();
