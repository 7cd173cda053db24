import type { OnnxUse } from '../../onnx-mapping.js';

const UNSEEN = 0;
const OPEN = 1;
const DONE = 2;

/** Branches of nodes in the order of a file. A child is the index of a node, or -1. */
export interface Branches {
  readonly yes: Int32Array;
  readonly no: Int32Array;
  readonly roots: Int32Array;
}

/**
 * Sorts reachable nodes so that children come after all their parents. Within a tree, the order is
 * preorder, true branch first. A cycle is rejected. The search is depth first and without
 * recursion, because files choose the depth. It processes the last tree first and fills the list
 * from its end, so that a node that several trees share comes after all its parents.
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
