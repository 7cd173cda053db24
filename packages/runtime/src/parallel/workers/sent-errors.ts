import { BackendError, ErrorSender } from '@brezel/core';
import { StoreError } from '@brezel/object-store';
import { RuntimeError } from '../../errors.js';

/** Sends errors of worker threads that run plans. */
export const workerErrors = new ErrorSender([BackendError, StoreError, RuntimeError]);
