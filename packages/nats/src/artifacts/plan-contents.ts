import type { Fleet } from 'brezel';
import { sha256Of } from './recipe.js';

/** The sizes of the parameters of a plan. They decide where its model is placed. */
export interface PlanContent {
  /** The bytes of all parameters. */
  readonly bytes: number;
  /** The largest parameters: short checksums of their contents, and their bytes. */
  readonly parameters: readonly (readonly [id: string, bytes: number])[];
}

const MOST_PARAMETERS = 8;
/** The least size in bytes of a parameter that decides where a model is placed. */
const LEAST_BYTES = 4096;

/** Returns the parameters of each plan of a fleet file, in the order of the plans. */
export function contentsOf(fleet: Fleet): PlanContent[] {
  const sizes = new Map(fleet.parameters.map(({ id, bytes }) => [id, bytes]));
  const short = new Map<string, string>();
  const shortId = (id: string) => {
    const known = short.get(id) ?? sha256Of(Buffer.from(id)).slice(0, 16);
    short.set(id, known);
    return known;
  };
  return fleet.names.map((name) => {
    const all = fleet.describe(name).parameters.map((id) => ({ id, bytes: sizes.get(id) ?? 0 }));
    const large = all.filter(({ bytes }) => bytes >= LEAST_BYTES).sort((one, other) => other.bytes - one.bytes);
    return {
      bytes: all.reduce((sum, { bytes }) => sum + bytes, 0),
      parameters: large.slice(0, MOST_PARAMETERS).map(({ id, bytes }) => [shortId(id), bytes] as const),
    };
  });
}
