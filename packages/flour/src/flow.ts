import type { OwnedPlan, ValueType } from '@brezel/core';
import type { FlourContext } from './context.js';
import { flourError } from './errors.js';
import { Program, type ProgramNode } from './program.js';

/**
 * The kind of value that a flow carries, as far as TypeScript checks it. Sizes and element types
 * are checked when a program is built.
 */
export type FlowKind = 'text' | 'tokens' | 'vector' | 'tensor' | 'scalar' | 'map' | 'dictionary';

/**
 * An immutable handle of one node of a program. Each method returns a new flow. Operators add their
 * methods by declaration merging (`ops/<operator>/index.ts`), bound to the kinds they accept, so
 * that an invalid chain does not compile.
 */
export class Flow<Kind extends FlowKind = FlowKind> {
  readonly context: FlourContext;
  readonly node: ProgramNode;

  constructor(context: FlourContext, node: ProgramNode) {
    this.context = context;
    this.node = node;
    if (new.target === Flow) Object.freeze(this);
  }

  get kind(): Kind {
    return kindOf(this.node.type) as Kind;
  }

  get type(): ValueType {
    return this.node.type;
  }

  /**
   * Returns this flow, typed as another kind. Throws ERR_FLOUR_TYPE if the value has a different
   * kind.
   */
  unsafeAs<Other extends FlowKind>(kind: Other): Flow<Other> {
    if ((this.kind as FlowKind) !== kind) {
      throw flourError('ERR_FLOUR_TYPE', { expected: kind, received: this.kind, at: 'unsafeAs' });
    }
    return this as unknown as Flow<Other>;
  }

  /**
   * Compiles a program whose only output, named `output`, is this flow.
   *
   * @throws ERR_FLOUR_COMPILER for a context without a compiler.
   * @example reviews.tokenize().wordNgram({ vocabulary: terms }).logistic({ weights, bias }).plan()
   */
  plan(options: { name?: string } = {}): OwnedPlan {
    return new Program(this.context, options.name ?? 'program', [{ name: 'output', node: this.node }]).plan();
  }
}

function kindOf(type: ValueType): FlowKind {
  switch (type.kind) {
    case 'scalar':
      return type.dtype === 'string' ? 'text' : 'scalar';
    case 'tokens':
    case 'map':
    case 'tensor':
    case 'dictionary':
      return type.kind;
    case 'vector':
    case 'sparse':
      return 'vector';
  }
}
