import type { NodeProto, TensorProto } from '../proto/schema.js';

/** Nodes of one box, and what crosses its border. */
export interface Group {
  readonly nodes: readonly NodeProto[];
  readonly initializers: readonly TensorProto[];
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
}
