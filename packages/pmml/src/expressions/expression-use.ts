import type { Context } from '../context.js';
import type { Scope } from '../fields/scope.js';
import type { Value, ValueType } from '../value.js';
import type { Element } from '../xml/element.js';

/** Where an expression is used. */
export interface ExpressionUse {
  readonly context: Context;
  readonly scope: Scope;
  /** The functions that the document defines. */
  readonly functions: ReadonlyMap<string, Element>;
  /** The type of the result, if the expression itself does not have one. */
  readonly type?: ValueType | undefined;
  /** Converts an expression inside this one. */
  readonly convert: (use: ExpressionUse, element: Element) => Value;
}
