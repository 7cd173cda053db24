import { type KernelCall, type PhysicalStage, printType } from '@brezel/core';
import type { ObjectStore } from '@brezel/object-store';

/** One stage of a plan in words, the same for text, JSON and pictures. */
export interface StageView {
  readonly number: number;
  readonly role: PhysicalStage['role'];
  /** The first digits of its key: equal in two plans that share the stage. */
  readonly key: string;
  readonly engine: 'native' | 'javascript';
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  /** One line a step: `v2 = ngram(v1) : sparse float32[1000]`. */
  readonly steps: readonly string[];
  readonly kernels: readonly string[];
  readonly parameters: readonly { readonly id: string; readonly bytes: number }[];
  readonly parameterBytes: number;
}

const SHOWN_KEY_DIGITS = 8;
const SHOWN_ATTRIBUTES = 96;

/** @param names what the stage's inputs are called outside of it; `prefix` makes the names of its own values unique in the plan. */
export function viewStage(
  stage: PhysicalStage,
  number: number,
  names: readonly string[],
  prefix: string,
  store: ObjectStore,
): StageView {
  const name = (slot: number) => names[slot] ?? `${prefix}${slot - stage.inputs.length + 1}`;
  const steps = stage.steps.map((step, index) => {
    const inputs = step.inputs.map(name).join(', ');
    return `${name(stage.inputs.length + index)} = ${step.operator}(${inputs})${attributes(step.attributes)} : ${printType(step.type)}`;
  });
  const ids = [
    ...new Set([
      ...stage.steps.flatMap((step) => Object.values(step.parameters)),
      ...(stage.calls ?? []).flatMap((call) => call.parameters),
    ]),
  ];
  const parameters = ids.map((id) => ({ id, bytes: store.info(id).bytes }));
  return {
    number,
    role: stage.role,
    key: stage.key.slice(0, SHOWN_KEY_DIGITS),
    engine: stage.calls === undefined ? 'javascript' : 'native',
    inputs: stage.inputs.map((_, slot) => name(slot)),
    outputs: stage.outputs.map(name),
    steps,
    kernels: (stage.calls ?? []).filter((call) => call.kernel !== 'alias').map(kernelName),
    parameters,
    parameterBytes: parameters.reduce((sum, parameter) => sum + parameter.bytes, 0),
  };
}

function kernelName({ kernel, steps }: KernelCall): string {
  return steps.length > 1 ? `${kernel} (${steps.length} operators)` : kernel;
}

function attributes(values: Readonly<Record<string, unknown>>): string {
  const shown = Object.entries(values)
    .map(([key, value]) => `${key} ${typeof value === 'object' ? JSON.stringify(value) : value}`)
    .join(', ');
  if (shown === '') return '';
  return ` [${shown.length > SHOWN_ATTRIBUTES ? `${shown.slice(0, SHOWN_ATTRIBUTES - 3)}...` : shown}]`;
}

/** 1.5 KB, 20.1 MB: as people read sizes. */
export function printBytes(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  const unit = bytes < 1e6 ? 'KB' : bytes < 1e9 ? 'MB' : 'GB';
  const scale = unit === 'KB' ? 1e3 : unit === 'MB' ? 1e6 : 1e9;
  return `${(bytes / scale).toFixed(1)} ${unit}`;
}
