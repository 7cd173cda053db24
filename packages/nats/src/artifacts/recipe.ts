import { createHash } from 'node:crypto';
import { natsError } from '../errors.js';

/** A range of bytes of a fleet file, by its SHA-256 in hexadecimal digits. */
export interface Part {
  readonly sha256: string;
  readonly bytes: number;
}

/** How to build a fleet file: its parts in order. The parts cover the file without gaps. */
export interface Recipe {
  /** The size of the file. */
  readonly bytes: number;
  readonly parts: readonly Part[];
}

/** The largest part. A replica holds few parts in memory while it fetches an artifact. */
export const MAX_PART_BYTES = 2 ** 23;
export const MAX_PARTS = 10_000;
/** The largest size of an encoded recipe, more than `MAX_PARTS` parts need. */
export const MAX_RECIPE_BYTES = 2 ** 20;

const FORMAT = 'brezel-artifact-1';
const SHA256 = /^[0-9a-f]{64}$/;

export const sha256Of = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

export const isSha256 = (text: unknown): text is string => typeof text === 'string' && SHA256.test(text);

/** Encodes a recipe. The SHA-256 of the bytes is the id of the artifact. */
export const encodeRecipe = ({ bytes, parts }: Recipe): Buffer =>
  Buffer.from(JSON.stringify({ format: FORMAT, bytes, parts: parts.map((part) => [part.sha256, part.bytes]) }));

/**
 * Decodes and checks a recipe.
 *
 * @throws ERR_NATS_ARTIFACT
 */
export function decodeRecipe(encoded: Uint8Array, artifact: string): Recipe {
  const { format, bytes, parts: list } = parsed(encoded, artifact);
  if (format !== FORMAT) throw invalid(artifact, `the format ${FORMAT}`);
  if (!Array.isArray(list) || list.length === 0 || list.length > MAX_PARTS)
    throw invalid(artifact, `1 to ${MAX_PARTS} parts`);
  const parts = list.map((item) => partIn(item, artifact));
  const sum = parts.reduce((total, part) => total + part.bytes, 0);
  if (sum !== bytes) throw invalid(artifact, `parts of ${JSON.stringify(bytes)} bytes`, `${sum} bytes`);
  return { bytes: sum, parts };
}

function parsed(encoded: Uint8Array, artifact: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(Buffer.from(encoded).toString());
    if (typeof value === 'object' && value !== null) return value as Record<string, unknown>;
  } catch {
    // reported below
  }
  throw invalid(artifact, 'a JSON object');
}

function partIn(item: unknown, artifact: string): Part {
  const [sha256, bytes] = Array.isArray(item) ? item : [];
  if (isSha256(sha256) && Number.isInteger(bytes) && bytes > 0 && bytes <= MAX_PART_BYTES) return { sha256, bytes };
  throw invalid(artifact, `a part with a SHA-256 and 1 to ${MAX_PART_BYTES} bytes`);
}

const invalid = (artifact: string, expected: string, received = 'another value') =>
  natsError('ERR_NATS_ARTIFACT', { expected, received, at: `the recipe of artifact ${artifact}` });
