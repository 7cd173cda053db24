import type { TensorPort } from '@brezel/core';
import type { Spent } from './import-budget.js';
import type { OpenedModel } from './open-model.js';
import type { ModelProto } from './proto/schema.js';
import { declaredPort } from './tensor-ports.js';

/** The properties of an ONNX file that `brezel inspect` prints. */
export interface ModelFacts {
  readonly producer: string;
  readonly irVersion: number;
  /** The version of each operator set that the file uses, by domain. */
  readonly opsets: Readonly<Record<string, number>>;
  /** The number of nodes of each operator, such as `ai.onnx:Gemm`. */
  readonly operators: Readonly<Record<string, number>>;
  readonly fileBytes: number;
  /**
   * The inputs without a default value. The shapes include the axis that counts the rows, as the
   * file declares it.
   */
  readonly declaredInputs: readonly TensorPort[];
  /** The outputs. The shapes include the axis that counts the rows, as the file declares it. */
  readonly declaredOutputs: readonly TensorPort[];
  /** How much of each limit the import used. */
  readonly spent: Spent;
}

export function modelFacts({ model, fileBytes, budget }: OpenedModel): ModelFacts {
  const operators: Record<string, number> = {};
  for (const { domain, opType } of model.graph!.node) {
    const name = `${domain || 'ai.onnx'}:${opType}`;
    operators[name] = (operators[name] ?? 0) + 1;
  }
  return {
    producer: `${model.producerName} ${model.producerVersion}`.trim(),
    irVersion: model.irVersion,
    opsets: Object.fromEntries(model.opsetImport.map(({ domain, version }) => [domain || 'ai.onnx', version])),
    operators,
    fileBytes,
    declaredInputs: declaredInputsOf(model),
    declaredOutputs: model.graph!.output.map(declaredPort),
    spent: budget.spent,
  };
}

/** Returns the inputs that the file declares, without inputs that have default values. */
export function declaredInputsOf({ graph }: ModelProto): TensorPort[] {
  const weights = new Set(graph?.initializer.map(({ name }) => name));
  return (graph?.input ?? []).filter(({ name }) => !weights.has(name)).map(declaredPort);
}
