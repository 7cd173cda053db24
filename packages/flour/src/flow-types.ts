import type {
  AnswerList,
  AnswerValue,
  DictionaryEntry,
  DictionaryType,
  DictionaryValue,
  DType,
  Row,
  ScalarType,
  ValueType,
  VectorType,
} from '@brezel/core';
import type { Numbers } from './define-op.js';

// The types of a flow, from the fields of a row to the values of an answer. Nothing here exists at
// run time.

/**
 * The kind of a flow's value. TypeScript checks only the kind. Sizes and element types are checked
 * when a program is built.
 */
export type FlowKind = 'text' | 'tokens' | 'vector' | 'tensor' | 'scalar' | 'map' | 'dictionary';

/** The kind of flow that `select` returns for a column with this element type. */
export type ColumnKind<D extends DType> = D extends 'string' ? 'text' : 'scalar';

/** The kind of flow that `input` returns for an input of this type. */
export type InputKind<Type extends ValueType> = Type extends ScalarType
  ? ColumnKind<Type['dtype']>
  : Type extends VectorType | { readonly kind: 'sparse' }
    ? 'vector'
    : Type['kind'] & FlowKind;

/**
 * The values that a row may contain for an element of this type. A text may also be UTF-8 bytes.
 */
export type FieldElement<D extends DType> = D extends 'string'
  ? string | Uint8Array
  : D extends 'int64'
    ? number | bigint
    : D extends 'bool'
      ? boolean | number
      : number;

/** The values that a row may contain for an input of this type. */
export type FieldOf<Type extends ValueType> = Type extends ScalarType
  ? FieldElement<Type['dtype']>
  : Type extends VectorType<'string'>
    ? readonly (string | Uint8Array)[]
    : Type extends VectorType
      ? Numbers | readonly FieldElement<Type['dtype']>[]
      : Type extends { readonly kind: 'sparse' }
        ? Numbers
        : Type extends DictionaryType
          ?
              | Readonly<Record<string, DictionaryField<Type['values']>>>
              | ReadonlyMap<unknown, DictionaryField<Type['values']>>
          : unknown;

/** The values that an entry of a dictionary in a row may have. */
type DictionaryField<Values extends DictionaryValue> = Values extends 'mixed'
  ? number | boolean | string | readonly string[] | null
  : FieldElement<Exclude<Values, 'mixed'>>;

/** The values that an entry of a dictionary in an answer may have. */
type DictionaryElement<Values extends DictionaryValue> = Values extends 'mixed'
  ? DictionaryEntry
  : ElementOf<Exclude<Values, 'mixed'>>;

/**
 * The row type of a flow that reads one field. If the name of the field is not a literal type, the
 * row type is `any`.
 */
// biome-ignore lint/suspicious/noExplicitAny: `any` disables the check of rows
export type Field<Name extends string, Value> = string extends Name ? any : { readonly [N in Name]: Value };

/** The value of one element in an answer. */
export type ElementOf<D extends DType> = D extends 'string'
  ? string
  : D extends 'bool'
    ? boolean
    : D extends 'int64'
      ? number | bigint
      : number;

/** The type of the answer if the program returns an input of this type unchanged. */
export type InputValue<Type extends ValueType> = Type extends ScalarType
  ? ElementOf<Type['dtype']>
  : Type extends VectorType
    ? readonly ElementOf<Type['dtype']>[]
    : Type extends DictionaryType
      ? Readonly<Record<string, DictionaryElement<Type['values']>>>
      : ValueOf<InputKind<Type>>;

/** The type of the answer of a flow if only the kind of the flow is known. */
export type ValueOf<Kind extends FlowKind> = [FlowKind] extends [Kind] ? unknown : KindValues[Kind];

interface KindValues {
  readonly text: string;
  readonly tokens: readonly string[];
  readonly scalar: number;
  readonly vector: readonly number[];
  readonly tensor: AnswerList;
  readonly map: Readonly<Record<string, number>>;
  readonly dictionary: Readonly<Record<string, DictionaryEntry>>;
}

export type IsAny<Type> = 0 extends 1 & Type ? true : false;
type IsUnion<Type, Whole = Type> = Type extends unknown ? ([Whole] extends [Type] ? false : true) : never;

/**
 * The rows that a plan with one input accepts without an object around the value: a text, or a list
 * of numbers.
 */
type BareRow<Value> =
  | (string extends Value ? string : never)
  | (unknown extends Value
      ? readonly unknown[]
      : readonly number[] extends Value
        ? Exclude<Value, number | bigint | boolean>
        : readonly string[] extends Value
          ? Exclude<Value, string | Uint8Array>
          : never);

/**
 * The rows that a plan with these input fields accepts. If the only field is a text or a vector,
 * the row may be the value itself instead of an object.
 */
export type RowOf<Fields> =
  IsAny<Fields> extends true
    ? Row
    : IsUnion<keyof Fields> extends false
      ? BareRow<Fields[keyof Fields]> | { readonly [Name in keyof Fields]: Fields[Name] }
      : { readonly [Name in keyof Fields]: Fields[Name] };

/** The type of the answer for an output, if the flow of the output has the value type `Value`. */
export type AnswerOf<Value> = unknown extends Value ? AnswerValue : Value;
