import type { Attributes, ParameterId, StageMarks, StageRole, ValueType } from '@brezel/core';
import type { OperatorDefinition, Program, ProgramNode, Statistics } from '@brezel/flour';

/**
 * Statistics of a node's result. The frequencies of entries are a parameter, because the list may
 * be long.
 */
export interface NodeStatistics extends Omit<Statistics, 'frequency'> {
  readonly frequency?: ParameterId;
}

/**
 * An operator or an input of a logical plan. Nodes are immutable. A plan input is a node with a
 * name but without an operator.
 */
export interface LogicalNode {
  readonly id: number;
  readonly operator: OperatorDefinition | undefined;
  readonly name?: string;
  readonly inputs: readonly number[];
  readonly attributes: Attributes;
  readonly parameters: Readonly<Record<string, ParameterId>>;
  readonly type: ValueType;
  readonly statistics?: NodeStatistics;
  /** Id of the node's stage. Undefined before the step 'build-stages'. */
  readonly stage?: number;
}

/** A stage of a logical plan. A node refers to its stage by id. */
export interface LogicalStage {
  /** The id that `LogicalNode.stage` refers to. */
  readonly id: number;
  /** Whether the stage computes inputs of a model, or contains weights of a model. */
  readonly role: StageRole;
  /**
   * Types of the stage's inputs and outputs. Undefined until the rule `stage-schemas` sets them.
   */
  readonly schema?: { readonly inputs: readonly ValueType[]; readonly outputs: readonly ValueType[] };
  /**
   * Properties of the stage that rules of the step 'validate-output' derive. A property is
   * undefined if its rule is disabled or has not run yet.
   */
  readonly marks?: Partial<Omit<StageMarks, 'nanosPerRow'>>;
}

/**
 * A graph of operators that is divided into stages. Rules never change a plan; they return a new
 * plan.
 */
export interface LogicalPlan {
  readonly name: string;
  /** The nodes. Every node comes after its inputs. */
  readonly nodes: readonly LogicalNode[];
  readonly inputs: readonly number[];
  readonly outputs: readonly { readonly name: string; readonly node: number }[];
  readonly stages: readonly LogicalStage[];
}

export function fromProgram(program: Program): LogicalPlan {
  const all = [...new Set([...program.inputs, ...program.nodes()])];
  const ids = new Map(all.map((node, id) => [node, id]));
  const nodes = all.map((node, id): LogicalNode => {
    const parameters = Object.entries(node.parameters).map(([name, lease]) => [name, lease.id] as const);
    return {
      id,
      operator: node.operator,
      ...(node.name !== undefined && { name: node.name }),
      inputs: node.inputs.map((input) => ids.get(input)!),
      attributes: node.attributes,
      parameters: Object.fromEntries(parameters),
      type: node.type,
      ...(node.statistics && { statistics: statisticsOf(node.statistics) }),
    };
  });
  const outputs = program.outputs.map(({ name, node }) => ({ name, node: ids.get(node)! }));
  return { name: program.name, nodes, inputs: program.inputs.map((input) => ids.get(input)!), outputs, stages: [] };
}

function statisticsOf({ frequency, ...statistics }: NonNullable<ProgramNode['statistics']>): NodeStatistics {
  return frequency === undefined ? statistics : { ...statistics, frequency: frequency.id };
}
