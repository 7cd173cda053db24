import { BackendError, ErrorSender } from '@brezel/core';
import { StoreError } from '@brezel/object-store';
import { RuntimeError } from '../../errors.js';

/**
 * Converts errors of workers to messages, so that the calling thread receives their class, code and
 * details.
 */
export const workerErrors = new ErrorSender([BackendError, StoreError, RuntimeError]);
