import type { NodeProto, TensorProto } from '../proto/schema.js';

/** The nodes of one box, and the values that enter and leave the box. */
export interface Group {
  readonly nodes: readonly NodeProto[];
  readonly initializers: readonly TensorProto[];
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
}
