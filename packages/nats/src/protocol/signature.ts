import type { Route } from 'brezel';
import { natsError } from '../errors.js';

type VersionDescription = Awaited<ReturnType<Route['load']>>;

/** The inputs and outputs of a version: the names and types of the fields of rows and answers. */
export interface ModelSignature {
  readonly inputs: readonly Pick<VersionDescription['inputs'][number], 'name' | 'type' | 'unused' | 'missing'>[];
  readonly outputs: readonly Pick<VersionDescription['outputs'][number], 'name' | 'type'>[];
}

/** A version of a model, and its signature. */
export interface FleetDescription extends ModelSignature {
  /** The version as `name@version`. */
  readonly version: string;
}

/** Returns the signature of a version, without the labels of its classes. */
export const signatureOf = ({ inputs, outputs }: VersionDescription): ModelSignature => ({
  inputs: inputs.map(({ name, type, unused, missing }) => ({
    name,
    type,
    ...(unused && { unused }),
    ...(missing !== undefined && { missing }),
  })),
  outputs: outputs.map(({ name, type }) => ({ name, type })),
});

/**
 * Checks a signature that was received from a server.
 * @throws ERR_NATS_MESSAGE
 */
export function signatureIn(value: unknown): ModelSignature {
  const { inputs, outputs } = (typeof value === 'object' && value !== null ? value : {}) as Partial<ModelSignature>;
  const isValid = [inputs, outputs].every((ports) => Array.isArray(ports) && ports.every(isPort));
  if (isValid) return { inputs: inputs!, outputs: outputs! };
  throw natsError('ERR_NATS_MESSAGE', { expected: 'the inputs and outputs of a model', received: 'another value' });
}

function isPort(port: unknown): boolean {
  const { name, type } = (port ?? {}) as { readonly name?: unknown; readonly type?: { readonly kind?: unknown } };
  return typeof name === 'string' && typeof type?.kind === 'string';
}
