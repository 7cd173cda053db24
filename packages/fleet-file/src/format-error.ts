import { storeError } from '@brezel/object-store';

/**
 * Throws the error for a file with invalid content.
 *
 * @throws ERR_STORE_FORMAT
 */
export function throwFormatError(at: string, received: string, expected?: string): never {
  throw storeError('ERR_STORE_FORMAT', { received, at, ...(expected !== undefined && { expected }) });
}
