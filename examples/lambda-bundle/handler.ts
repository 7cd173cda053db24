import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createRuntime, openFleet } from 'brezel/serve';

// The bundle, the addon and the fleet file are in one folder. The code before the handler runs once
// for each instance of the function.
const folder = process.env.FLEET_FOLDER ?? dirname(fileURLToPath(import.meta.url));
const fleet = await openFleet(join(folder, 'fleet.brezel'));
const runtime = createRuntime({ store: fleet.store, executors: 0 }); // one request at a time
const plan = runtime.register(fleet.plan('film'));

/** Answers an event like `{ "text": "a good film" }`. */
export const handler = async ({ text }: { readonly text: string }) => runtime.predictSync(plan, { text });
