import type { Context } from '../context.js';
import type { DataDictionary } from '../fields/data-dictionary.js';
import type { MiningField } from '../fields/mining-schema.js';
import type { Scope } from '../fields/scope.js';
import type { Operand, Value } from '../value.js';
import type { Element } from '../xml/element.js';
import type { Result } from './result.js';

/** A model element with the fields that it can read. */
export interface ModelUse {
  readonly context: Context;
  readonly element: Element;
  readonly scope: Scope;
  readonly schema: readonly MiningField[];
  readonly dictionary: DataDictionary;
  /** The name of the field that the model predicts, if the file has one. */
  readonly target: string | undefined;
  /** Converts a model inside this model. */
  readonly inner: (element: Element, scope: Scope) => ModelUse;
  /** Converts a model of any kind, with its targets. */
  readonly convert: (use: ModelUse) => Result;
  /** Converts the expression inside an element to a number. */
  readonly number: (element: Element) => Operand;
  /** Passes the output fields of a model to `define`, for the later models of a chain. */
  readonly outputs: (use: ModelUse, result: Result, define: (name: string, convert: () => Value) => void) => void;
}

export type ModelReader = (use: ModelUse) => Result;

/** Returns the classes of the target that the data dictionary lists, in order. */
export function listedClasses({ dictionary, target }: ModelUse): readonly string[] {
  return (target === undefined ? undefined : dictionary.get(target)?.valid) ?? [];
}
