// npm run example -- lambda-bundle: packs the fleet file, and calls the handler as AWS Lambda does.
// In your project, esbuild then writes the handler and Brezel into one file:
//   npx esbuild handler.ts --bundle --platform=node --format=esm --outfile=lambda/handler.mjs
//   cp node_modules/@brezel/native-linux-x64/brezel.node fleet.brezel lambda/
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createFlour, importOnnx, packFleet } from 'brezel';

const folder = mkdtempSync(join(tmpdir(), 'brezel-lambda-'));
try {
  using flour = await createFlour();
  const model = readFileSync(new URL('../../models/sa-fam-a-00.onnx', import.meta.url));
  const plan = importOnnx(model, flour, { name: 'film' }).program.plan();
  await packFleet([plan], join(folder, 'fleet.brezel'), { store: flour.store });

  process.env.FLEET_FOLDER = folder;
  const { handler } = await import('./handler.js');
  for (const text of ['a charming little film', 'a waste of time']) {
    const { label } = await handler({ text });
    console.log(`${text}: ${label === 1 ? 'positive' : 'negative'}`);
  }
} finally {
  rmSync(folder, { recursive: true });
}
