import { storeError } from '@brezel/object-store';

/** A file says what cannot be. @throws ERR_STORE_FORMAT */
export function fault(at: string, received: string, expected?: string): never {
  throw storeError('ERR_STORE_FORMAT', { received, at, ...(expected !== undefined && { expected }) });
}
