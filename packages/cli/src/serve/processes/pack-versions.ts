import type { writeCachedFile } from '@brezel/fleet-file';
import type { PackedMember } from './packer.js';
import type { SharedVersion } from './shared-version.js';

/** The functions that create a fleet file. */
export interface PackingParts {
  /**
   * Packs models into a fleet file. Returns one item for each model: its error, or undefined if the
   * model was packed.
   */
  pack(job: {
    readonly members: readonly PackedMember[];
    readonly output: string;
  }): Promise<readonly (Error | undefined)[]>;
  /** Creates the fleet file. */
  readonly writeFile: typeof writeCachedFile;
}

/**
 * Packs versions into one fleet file. Returns one item for each version: its error, or undefined if
 * the version was packed.
 */
export async function packVersions(
  entries: readonly SharedVersion[],
  { pack, writeFile }: PackingParts,
): Promise<readonly (Error | undefined)[]> {
  if (entries.length === 0) return [];
  const members = entries.map(({ reference, source }) => ({ ...source, name: reference }));
  let errors: readonly (Error | undefined)[] = [];
  try {
    const cached = await writeFile(async (output) => {
      errors = await pack({ members, output });
      if (!errors.includes(undefined)) throw errors[0];
    });
    const file = { cached, users: 0 };
    for (const [index, entry] of entries.entries()) {
      if (errors[index] !== undefined) continue;
      file.users++;
      entry.file = file;
    }
  } catch (error) {
    const isOfEveryModel = errors.length > 0 && !errors.includes(undefined);
    if (!isOfEveryModel) throw error;
  }
  return errors;
}
