import type { Backend } from '@brezel/core';
import { onnxruntimeBackend } from '@brezel/onnxruntime';
import { tfjsBackend } from '@brezel/tfjs';

/** A new one of each backend that comes with Brezel, whether or not what it needs is installed. Costs nothing until it is used. */
export const ownBackends = (): Backend[] => [onnxruntimeBackend(), tfjsBackend()];
