import type { OwnedPlan, ValueType } from '@brezel/core';
import type { FlourContext } from './context.js';
import { flourError } from './errors.js';
import type { AnswerOf, FlowKind, RowOf, ValueOf } from './flow-types.js';
import { Program, type ProgramNode } from './program.js';

export type { FlowKind } from './flow-types.js';

/**
 * An immutable handle of one value in a program. Each method returns a new flow. Operators add
 * their methods to this class by declaration merging (`ops/<operator>/index.ts`). A method accepts
 * only flows of certain kinds, so that an invalid chain of methods does not compile.
 *
 * @typeParam Kind the kind of the flow's value.
 * @typeParam Row the fields of a row that the flow reads.
 * @typeParam Value the value of an answer, if the flow is an output.
 */
// biome-ignore lint/suspicious/noExplicitAny: a flow written without `Row` accepts every row
// biome-ignore lint/correctness/noUnusedVariables: the methods of operators use the value
export class Flow<out Kind extends FlowKind = FlowKind, out Row = any, out Value = ValueOf<Kind>> {
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
   * Returns this flow with another TypeScript type. Throws ERR_FLOUR_TYPE unless the value of the
   * flow has the kind `kind`.
   */
  unsafeAs<Other extends FlowKind>(kind: Other): Flow<Other, Row> {
    if ((this.kind as FlowKind) !== kind) {
      throw flourError('ERR_FLOUR_TYPE', { expected: kind, received: this.kind, at: 'unsafeAs' });
    }
    return this as unknown as Flow<Other, Row>;
  }

  /**
   * Compiles a program whose only output, named `output`, is this flow.
   *
   * @throws ERR_FLOUR_COMPILER for a context without a compiler.
   * @example reviews.tokenize().wordNgram({ vocabulary: terms }).logistic({ weights, bias }).plan()
   */
  plan<Fields, Output>(
    this: Flow<FlowKind, Fields, Output>,
    options: { name?: string } = {},
  ): OwnedPlan<RowOf<Fields>, { readonly output: AnswerOf<Output> }> {
    return new Program<RowOf<Fields>, { readonly output: AnswerOf<Output> }>(this.context, options.name ?? 'program', [
      { name: 'output', node: this.node },
    ]).plan();
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
