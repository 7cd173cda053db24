import type { OnnxUse } from '../../onnx-mapping.js';

const UNSEEN = 0;
const OPEN = 1;
const DONE = 2;

/**
 * The children of all nodes, in the order of the file. A child is the index of a node, or -1 if a
 * node has no child.
 */
export interface Branches {
  readonly yes: Int32Array;
  readonly no: Int32Array;
  readonly roots: Int32Array;
}

/**
 * Returns the nodes that a root reaches, sorted so that children come after all their parents.
 * Within a tree, each node comes before its true branch, and the true branch before the false
 * branch. A cycle is rejected. The search does not recurse, because a file could contain very deep
 * trees. It processes the last tree first and fills the list from its end, so that a node that
 * several trees share comes after all its parents.
 */
export function parentsFirst(use: OnnxUse, { yes, no, roots }: Branches): { order: Int32Array; isShared: boolean } {
  const state = new Uint8Array(yes.length);
  const order = new Int32Array(yes.length);
  // Each branch is pushed once; unreached entries take no memory.
  const stack = new Int32Array(2 * yes.length + 1);
  let first = order.length;
  let isShared = false;
  let depth = 0;
  const push = (child: number) => {
    if (child < 0) return;
    if (state[child] === OPEN) throw use.unsupported(`node ${child} below itself`, 'the file is damaged');
    if (state[child] === UNSEEN) stack[depth++] = child;
    else isShared = true;
  };
  for (let tree = roots.length - 1; tree >= 0; tree--) {
    stack[depth++] = roots[tree]!;
    while (depth > 0) {
      const node = stack[depth - 1]!;
      if (state[node] === UNSEEN) {
        state[node] = OPEN;
        push(yes[node]!);
        push(no[node]!);
        continue;
      }
      depth--;
      if (state[node] === DONE) isShared = true;
      else order[--first] = node;
      state[node] = DONE;
    }
  }
  return { order: order.subarray(first), isShared };
}
