import type { Answer, Attributes, InspectParameters, ModelTypes, OwnedPlan, Row, Typed, ValueType } from '@brezel/core';
import { inspectKey, inspectView, portTypes, printType, sizeOf } from '@brezel/core';
import type { ParameterLease } from '@brezel/object-store';
import { MAX_COLUMNS } from './checks.js';
import type { FlourContext } from './context.js';
import type { OperatorDefinition } from './define-op.js';
import { flourError } from './errors.js';

/**
 * Statistics about the values of a node from training. All fields are optional. Oven uses them to
 * select kernels and to estimate sizes. With other statistics, answers may be rounded differently,
 * unless the option `exact` of Oven is set. `profileProgram` collects statistics from sample rows.
 */
export interface Statistics {
  /**
   * The largest number of entries of the value in a row: nonzero numbers, tokens, or UTF-8 bytes of
   * a text.
   */
  readonly maxVectorSize?: number;
  /** The mean number of entries of the value in a row. */
  readonly meanVectorSize?: number;
  /** The mean fraction of the columns that are not zero in a row, from 0 to 1. */
  readonly density?: number;
  /**
   * The number of rows with a nonzero value for each column, for example for each n-gram. An int32
   * parameter.
   */
  readonly frequency?: ParameterLease;
}

/**
 * One use of an operator in a program, or an input of the program. An input has a name and no
 * operator. The object is frozen, and several programs may share it.
 */
export interface ProgramNode {
  readonly operator: OperatorDefinition | undefined;
  /** The name of a program input. Undefined for other nodes. */
  readonly name?: string;
  readonly inputs: readonly ProgramNode[];
  readonly attributes: Attributes;
  readonly parameters: Readonly<Record<string, ParameterLease>>;
  readonly type: ValueType;
  readonly statistics?: Statistics;
}

/** A named output of a program. */
export interface ProgramOutput {
  /** The name of the output in answers. */
  readonly name: string;
  /** The node that computes the output. */
  readonly node: ProgramNode;
}

/**
 * A typed graph of operators with named inputs and outputs. The graph is frozen, and `plan()`
 * compiles it. By default, the inputs have the order in which the outputs use them.
 *
 * @typeParam R the rows of its plan. Default: any row.
 * @typeParam A the answers of its plan. Default: any answer.
 */
export class Program<out R = Row, out A = Answer> implements Typed<R, A> {
  declare readonly '~types'?: { readonly row: R; readonly answer: A };
  readonly name: string;
  readonly inputs: readonly ProgramNode[];
  readonly outputs: readonly ProgramOutput[];
  readonly context: FlourContext;
  /**
   * How many operators the program may have for `plan()`, if the caller of an importer allowed more
   * nodes than the default of Oven. The option `maxOperators` of Oven overrides it.
   */
  readonly maxOperators: number | undefined;

  constructor(
    context: FlourContext,
    name: string,
    outputs: readonly ProgramOutput[],
    inputs: readonly ProgramNode[] = reachableInputs(outputs),
    maxOperators?: number,
  ) {
    const names = [...outputs.map((output) => output.name), ...inputs.map((input) => input.name)];
    if (outputs.length === 0) throw flourError('ERR_FLOUR_GRAPH', { expected: 'at least one output', at: name });
    for (const list of [names.slice(0, outputs.length), names.slice(outputs.length)]) {
      const seen = new Set<string | undefined>();
      const twice = list.find((one) => seen.size === seen.add(one).size);
      if (twice !== undefined) throw flourError('ERR_FLOUR_NAME', { received: `"${twice}" twice`, at: name });
    }
    if (names.includes('__proto__')) throw flourError('ERR_FLOUR_NAME', { received: '"__proto__"', at: name });
    checkInputs(name, inputs, outputs);
    const numbers = outputs.reduce((sum, { node }) => sum + (node.type.kind === 'tokens' ? 1 : sizeOf(node.type)), 0);
    if (numbers > MAX_COLUMNS)
      throw flourError('ERR_FLOUR_SIZE', {
        expected: `at most ${MAX_COLUMNS} numbers in an answer`,
        received: `${numbers}`,
        at: name,
      });
    this.context = context;
    this.name = name;
    this.outputs = outputs;
    this.inputs = inputs;
    this.maxOperators = maxOperators;
    Object.freeze(this);
  }

  /**
   * Returns every node once. A node comes after its inputs. The order depends only on the structure
   * of the program.
   */
  nodes(): ProgramNode[] {
    return topological(this.outputs.map((output) => output.node));
  }

  /**
   * Optimizes and compiles the program. The plan holds its own references to the parameters, so
   * release the plan after use.
   */
  plan(): OwnedPlan<R, A> {
    if (this.context.compiler === undefined) throw flourError('ERR_FLOUR_COMPILER', { at: this.name });
    return this.context.compiler.plan(this as never);
  }

  /**
   * Returns this program with the types of its rows and answers. Nothing is checked at run time.
   *
   * @typeParam Types an entry of `Models`, which `brezel types` writes for a model file:
   * `program.typed<Models['churn']>()`.
   */
  typed<Types extends ModelTypes>(): Program<Types['row'], Types['answer']> {
    return this as never;
  }

  [inspectKey](...parameters: InspectParameters): string {
    const { name, inputs, outputs } = this;
    const operators = this.nodes().flatMap(({ operator }) => operator?.name ?? []);
    const outputTypes = portTypes(outputs.map((output) => ({ name: output.name, type: output.node.type })));
    const inputTypes = portTypes(inputs.map((input) => ({ name: input.name!, type: input.type })));
    return inspectView('Program', { name, inputs: inputTypes, outputs: outputTypes, operators }, parameters);
  }

  /** Formats the program as text with one line per node. */
  toString(): string {
    const nodes = this.nodes();
    const positions = new Map(nodes.map((node, position) => [node, position]));
    const label = (node: ProgramNode) => node.name ?? `v${positions.get(node)}`;
    const lines = nodes
      .filter((node) => node.operator !== undefined)
      .map(
        (node) =>
          `${label(node)} = ${node.operator!.name}(${node.inputs.map(label).join(', ')}) : ${printType(node.type)}`,
      );
    const outputs = this.outputs.map((output) => `${output.name} <- ${label(output.node)}`);
    return [`program ${this.name}`, ...lines, ...outputs].join('\n');
  }
}

/**
 * Checks the option `inputs`: each listed node must be an input, and every input that the outputs
 * need must be listed.
 */
function checkInputs(at: string, inputs: readonly ProgramNode[], outputs: readonly ProgramOutput[]): void {
  const computed = inputs.find((input) => input.operator !== undefined);
  if (computed !== undefined)
    throw flourError('ERR_FLOUR_GRAPH', {
      expected: 'inputs of the context',
      received: `the result of ${computed.operator!.name}`,
      at,
    });
  const listed = new Set(inputs);
  const missing = reachableInputs(outputs).find((input) => !listed.has(input));
  if (missing !== undefined)
    throw flourError('ERR_FLOUR_GRAPH', { expected: `input "${missing.name}" among the inputs`, at });
}

function reachableInputs(outputs: readonly ProgramOutput[]): ProgramNode[] {
  return topological(outputs.map((output) => output.node)).filter((node) => node.operator === undefined);
}

/**
 * Returns the nodes that the roots need, each after its inputs. Does not recurse, because an
 * imported graph may be deeper than the call stack.
 *
 * @throws ERR_FLOUR_GRAPH for a node that depends on itself. Methods of `Flow` cannot build such a
 * node, but code that writes nodes by hand can.
 */
function topological(roots: readonly ProgramNode[]): ProgramNode[] {
  const done = new Set<ProgramNode>();
  /** Nodes whose inputs are not sorted yet. */
  const waiting = new Set<ProgramNode>();
  const stack = [...roots].reverse();
  while (stack.length > 0) {
    const node = stack.at(-1)!;
    // A node may be on the stack once for each node that reads it.
    const missing = done.has(node) ? [] : node.inputs.filter((input) => !done.has(input));
    if (missing.length === 0) {
      done.add(node);
      waiting.delete(node);
      stack.pop();
    } else {
      waiting.add(node);
      const own = missing.find((input) => waiting.has(input));
      if (own !== undefined) throw cyclic(own);
      stack.push(...missing.reverse());
    }
  }
  return [...done];
}

const cyclic = ({ operator, name }: ProgramNode) =>
  flourError('ERR_FLOUR_GRAPH', {
    expected: 'a graph without cycles',
    received: `a result of ${operator?.name ?? name} that depends on itself`,
    at: 'program',
    hint: 'build nodes with flows: the inputs of a flow exist before it',
  });
