import type { NodeProto, TensorProto } from '../proto/schema.js';

/**
 * The nodes of one black box, the initializers that they read, and the names of the values that
 * enter and leave the box.
 */
export interface Group {
  readonly nodes: readonly NodeProto[];
  readonly initializers: readonly TensorProto[];
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
}
