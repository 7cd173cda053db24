import { BackendError, ErrorSender } from '@brezel/core';
import { FlourError } from '@brezel/flour';
import { GbdtError } from '@brezel/gbdt';
import { MlNetError } from '@brezel/mlnet';
import { StoreError } from '@brezel/object-store';
import { OnnxError, RowCountError } from '@brezel/onnx';
import { OvenError } from '@brezel/oven';
import { PmmlError } from '@brezel/pmml';
import { RuntimeError } from '@brezel/runtime';
import { ScikitLearnError } from '@brezel/scikit-learn';
import { TensorError } from '@brezel/tensors';
import { NativeError } from '../native-errors.js';
import { ImportError } from './errors.js';

/**
 * Converts errors of importers and of the compiler to messages, so that the calling thread receives
 * their class, code and details.
 */
export const importErrors = new ErrorSender([
  BackendError,
  FlourError,
  GbdtError,
  MlNetError,
  PmmlError,
  ScikitLearnError,
  StoreError,
  OnnxError,
  RowCountError,
  OvenError,
  RuntimeError,
  TensorError,
  NativeError,
  ImportError,
]);
