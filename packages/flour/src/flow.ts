import type { OwnedPlan, ValueType } from '@brezel/core';
import type { FlourContext } from './context.js';
import { flourError } from './errors.js';
import { Program, type ProgramNode } from './program.js';

/** What a flow carries, as far as the compiler of TypeScript needs to know. Sizes and element types are checked when a program is built. */
export type FlowKind = 'text' | 'tokens' | 'vector' | 'tensor' | 'scalar' | 'map' | 'dictionary';

/**
 * An immutable handle on one node of a program. Each method gives a new flow; operators add their methods by declaration merging
 * (`ops/<operator>/index.ts`), bound to the kinds they accept: a wrong chain does not compile.
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

  /** The escape hatch: claims another kind; the value itself is checked against it. */
  unsafeAs<Other extends FlowKind>(kind: Other): Flow<Other> {
    if ((this.kind as FlowKind) !== kind) {
      throw flourError('ERR_FLOUR_TYPE', { expected: kind, received: this.kind, at: 'unsafeAs' });
    }
    return this as unknown as Flow<Other>;
  }

  /**
   * Ends the program here, with this flow as its output `output`, and compiles it.
   *
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
