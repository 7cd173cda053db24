import { storeError } from '../errors.js';

/** A file says what cannot be. @throws ERR_STORE_FORMAT */
export function fault(at: string, received: string, expected?: string): never {
  throw storeError('ERR_STORE_FORMAT', { received, at, ...(expected !== undefined && { expected }) });
}
