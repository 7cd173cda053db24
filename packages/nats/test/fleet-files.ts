import { readFileSync } from 'node:fs';
import { createFlour, importOnnx, packFleet } from 'brezel';

/** A fleet file that a test packed. */
export interface PackedFile {
  readonly path: string;
  readonly bytes: number;
}

/** The path of a model of the example family. Its members share a dictionary. */
export const member = (number: number): string =>
  new URL(`../../../examples/models/sa-fam-a-0${number}.onnx`, import.meta.url).pathname;

/**
 * Packs models into a fleet file. The name of each plan is the name of its model.
 *
 * @param models the paths or the bytes of ONNX models, by name
 */
export async function pack(
  path: string,
  models: Readonly<Record<string, string | Uint8Array>>,
  options: Omit<Parameters<typeof packFleet>[2] & object, 'store'> = {},
): Promise<PackedFile> {
  using flour = await createFlour();
  const members = Object.entries(models).map(([name, model]) => {
    const bytes = typeof model === 'string' ? readFileSync(model) : model;
    return { name, plan: importOnnx(bytes, flour).program.plan() };
  });
  const { bytes } = await packFleet(members, path, { store: flour.store, ...options });
  for (const { plan } of members) plan.release();
  return { path, bytes };
}
