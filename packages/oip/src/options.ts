// The checks of the options that both servers have.
import { checkOptionNames, type OptionNames } from 'brezel';
import type { ErrorDetails } from './errors.js';

/** The values that an option accepts. */
export interface OptionType {
  /** Describes the accepted values, for error messages. */
  readonly expected: string;
  readonly isRequired?: true;
  /** Whether error messages omit the value. */
  readonly isSecret?: true;
  accepts(value: unknown): boolean;
}

/**
 * The type of each option. An option whose value is itself an object of options has an object with
 * the types of these inner options.
 */
export type OptionTypes<Options> = {
  readonly [Name in keyof Required<Options>]: OptionType | { readonly [inner: string]: OptionType };
};

type Fail = (details: ErrorDetails) => Error;
type Group = Readonly<Record<string, OptionType>>;

const isType = (type: OptionType | Group): type is OptionType => typeof type.accepts === 'function';
const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

/**
 * Rejects options with unknown names.
 *
 * @param at the function that has the options
 * @throws the error of `fail`, with the nearest name
 */
export function checkKnownOptions<Options>(
  options: Options,
  types: OptionTypes<Options>,
  fail: Fail,
  at: string,
): void {
  checkOptionNames(options, namesOf(types), fail, at);
}

const namesOf = (types: Readonly<Record<string, OptionType | Group>>): OptionNames =>
  Object.fromEntries(Object.entries(types).map(([name, type]) => [name, isType(type) || namesOf(type)]));

/**
 * Rejects options with wrong types. An option may be undefined unless it is required; it then has
 * its default.
 * @throws the error of `fail`, with the name of the option
 */
export function checkOptionTypes<Options>(options: Options, types: OptionTypes<Options>, fail: Fail): void {
  if (!isObject(options)) throw fail({ expected: 'an object of options', received: described(options) });
  const list = Object.entries<OptionType | Group>(types);
  for (const [name, type] of list) checkOption(name, (options as Readonly<Record<string, unknown>>)[name], type, fail);
}

function checkOption(name: string, value: unknown, type: OptionType | Group, fail: Fail): void {
  if (isType(type)) {
    if (value === undefined ? type.isRequired !== true : type.accepts(value)) return;
    const received =
      type.isSecret === true ? (value === undefined ? 'nothing' : `an invalid ${kindOf(value)}`) : described(value);
    throw fail({ expected: `${name}: ${type.expected}`, received });
  }
  if (value === undefined) return;
  if (!isObject(value))
    throw fail({ expected: `${name}: an object with ${Object.keys(type).join(', ')}`, received: described(value) });
  for (const [inner, innerType] of Object.entries(type)) checkOption(`${name}.${inner}`, value[inner], innerType, fail);
}

const MAX_SHOWN = 40;

/** Returns the type of a value, for error messages. */
const kindOf = (value: unknown) =>
  value === null ? 'null' : Array.isArray(value) ? 'list' : typeof value === 'string' ? 'text' : typeof value;

function described(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (typeof value === 'string') return value === '' ? 'an empty text' : JSON.stringify(value.slice(0, MAX_SHOWN));
  return isObject(value) || typeof value === 'function' ? `a value of type ${kindOf(value)}` : `${String(value)}`;
}

/** The largest value of an option that counts rows, bytes or requests. */
export const MAX_COUNT = 2 ** 31 - 1;

/** Returns the type of an option that is an integer in a range. */
export const integerOption = (least: number, most: number): OptionType => ({
  expected: `an integer from ${least} to ${most}`,
  accepts: (value) => Number.isInteger(value) && (value as number) >= least && (value as number) <= most,
});

/** Returns the type of an option that is a list of values of another type. */
export const listOption = ({ expected, accepts }: OptionType): OptionType => ({
  expected: `a list, each element: ${expected}`,
  accepts: (value) => Array.isArray(value) && value.every(accepts),
});

/** Returns the type of an option that has a fixed set of values. */
export const choiceOption = (...values: readonly unknown[]): OptionType => ({
  expected: values.map((value) => `${value}`).join(' or '),
  accepts: (value) => values.includes(value),
});

/** The type of an option that another library checks. */
export const foreignOption: OptionType = { expected: 'any value', accepts: () => true };
export const booleanOption = choiceOption(true, false);
export const textOption: OptionType = {
  expected: 'a text that is not empty',
  accepts: (value) => typeof value === 'string' && value !== '',
};
export const functionOption: OptionType = { expected: 'a function', accepts: (value) => typeof value === 'function' };

/** Returns the type of an option that is an object with these methods. */
export const objectOption = (expected: string, ...methods: readonly string[]): OptionType => ({
  expected,
  accepts: (value) => isObject(value) && methods.every((method) => typeof value[method] === 'function'),
});

export const registryOption: OptionType = {
  ...objectOption('the registry that createRegistry returns', 'route', 'model', 'load', 'unload'),
  isRequired: true,
};

/**
 * Printable ASCII characters, because a header cannot contain other characters. No spaces at both
 * ends, because clients remove them from a header.
 */
const TOKEN = /^[!-~]([ -~]*[!-~])?$/;
export const tokenOption: OptionType = {
  expected: 'printable ASCII characters, not empty, without spaces at the ends',
  isSecret: true,
  accepts: (value) => typeof value === 'string' && TOKEN.test(value),
};

const pemOption: OptionType = {
  expected: 'PEM in a text or a Buffer',
  isRequired: true,
  isSecret: true,
  accepts: (value) => typeof value === 'string' || value instanceof Uint8Array,
};
export const tlsOption = { cert: pemOption, key: pemOption };
