import { scalar, text } from '@brezel/core';
import { type Flow, lookUp } from '@brezel/flour';
import type { Context } from '../context.js';
import { damaged } from '../errors.js';
import { Graph, type GraphNode, GT, LT } from '../graph.js';
import { asFloat, asFloat32, booleanOf, choose, compare, isPresent } from '../operands.js';
import { constantOf, MISSING, type Operand, UNKNOWN, type Value } from '../value.js';
import type { DataField } from './data-dictionary.js';
import { testInterval } from './interval.js';
import type { MiningField } from './mining-schema.js';

/** An input of the program, and the value that models read. */
export interface Input {
  readonly flow: Flow;
  readonly convert: () => Value;
  /** Whether the field has values for which the model rejects the row. */
  readonly canReject: boolean;
}

type InputContext = Pick<Context, 'flour' | 'names' | 'budget'>;

/**
 * Declares the input of a field: a text for strings, where the empty text is missing; a bool; or
 * float64, where NaN is missing.
 */
export function inputOf(context: InputContext, field: DataField, mining: MiningField): Input {
  const { flour, names } = context;
  const hasInvalid = field.valid.length + field.invalid.length + field.intervals.length > 0;
  const canReject = mining.rejectsMissing || (mining.invalidTreatment === 'returnInvalid' && hasInvalid);
  if (field.type === 'string') {
    const flow = flour.input(field.name, text);
    const convert = (): Value => ({ type: 'string', operand: codes(context, flow as Flow<'text'>, field, mining) });
    return { flow, canReject, convert };
  }
  const isBoolean = field.type === 'boolean';
  const flow = flour.input(field.name, scalar(isBoolean ? 'bool' : 'float64')) as Flow<'scalar'>;
  const isFloat = field.dataType === 'float';
  const convert = (): Value => {
    const given = flow.asVector();
    const wide = isBoolean ? asFloat(given) : given;
    const rounded = isFloat ? asFloat32(wide) : wide;
    const value: Value = { type: field.type, operand: rounded, isFloat };
    const treated = treatMissing(treatNumber(rounded, value, field, mining, context), value, mining, names);
    return { ...value, operand: treated };
  };
  return { flow, canReject, convert };
}

/**
 * Returns the codes of strings. Strings that are missing, or replaced by a missing value, are NaN.
 */
function codes({ names }: Pick<Context, 'names'>, flow: Flow<'text'>, field: DataField, mining: MiningField): Operand {
  const { invalidTreatment } = mining;
  const replaced = mining.missingReplacement === undefined ? MISSING : names.code(mining.missingReplacement);
  const [valid, invalid] = [new Set(field.valid), new Set(field.invalid)];
  const missing = new Set(field.missing);
  const isMissing = (key: string) => (key === '' && !valid.has('')) || missing.has(key);
  const isInvalid = (key: string) => invalid.has(key) || (valid.size > 0 && !valid.has(key));
  const rejects = invalidTreatment === 'returnInvalid' && field.valid.length > 0;
  const all = [...new Set([...field.valid, ...field.invalid, ...field.missing, '', ...names.all])];
  const rejected = (key: string) => !isMissing(key) && isInvalid(key) && invalidTreatment === 'returnInvalid';
  const keys = rejects ? all.filter((key) => !rejected(key)) : all;
  const invalidCode = (code: number) => {
    if (invalidTreatment === 'asMissing') return replaced;
    return invalidTreatment === 'asValue' ? names.code(replacementOf(mining)) : code;
  };
  const codeOf = (key: string) => {
    if (isMissing(key)) return replaced;
    return isInvalid(key) ? invalidCode(names.code(key)) : names.code(key);
  };
  const other = field.valid.length > 0 ? invalidCode(UNKNOWN) : UNKNOWN;
  const table = Float64Array.from([...keys.map(codeOf), other]);
  const place = flow.indexOf(keys, { unknown: rejects ? 'error' : 'count' });
  const code = (lookUp(place, { dtype: 'float64', shape: [table.length], data: table }) as Flow<'scalar'>).asVector();
  const isWrong = keys.filter(rejected);
  if (isWrong.length === 0) return mining.rejectsMissing ? rejectMissing(code) : code;
  // Without a list of valid strings, the strings that are rejected are listed.
  const wrong = flow.indexOf(isWrong, { unknown: 'count' }).asVector() as Flow<'vector'>;
  const flag = booleanOf(asFloat(wrong).compare('equal', isWrong.length));
  const checked = guarded(code, flag as Flow<'vector'>, 1);
  return mining.rejectsMissing ? rejectMissing(checked) : checked;
}

const rejectMissing = (code: Flow<'vector'>): Flow<'vector'> =>
  guarded(code, booleanOf(isPresent(code)) as Flow<'vector'>, 1);

function replacementOf({ invalidReplacement, at }: MiningField): string {
  if (invalidReplacement === undefined) throw damaged(at, 'an invalidValueReplacement', 'none');
  return invalidReplacement;
}

/** Returns `value`. Rejects a row unless the flow `check` has the value `allowed`. */
function guarded(value: Flow<'vector'>, check: Flow<'vector'>, allowed: number): Flow<'vector'> {
  const zero = asFloat(check.indexOf([allowed], { unknown: 'error' }));
  return value.arithmetic('add', zero);
}

const KEEP = 0;
const VALUE = 1;
const REJECT = 2;

/**
 * Treats missing and invalid values of a number or boolean, and outliers, but replaces no missing
 * value.
 */
function treatNumber(
  given: Flow<'vector'>,
  value: Value,
  field: DataField,
  mining: MiningField,
  { names, budget }: InputContext,
): Operand {
  const constants = (list: readonly string[]) => list.map((one) => constantOf(value, one, names, field.at));
  const [valid, invalid, missing] = [constants(field.valid), constants(field.invalid), constants(field.missing)];
  const hasDomain = valid.length > 0 || field.intervals.length > 0;
  const canBeInvalid = (hasDomain || invalid.length > 0) && mining.invalidTreatment !== 'asIs';
  if (missing.length === 0 && !canBeInvalid && mining.outliers === 'asIs') return given;
  const graph = new Graph(budget);
  const kept = graph.leaf([[KEEP, 1]]);
  const lost = graph.leaf([[VALUE, MISSING]]);
  const wrong = canBeInvalid ? wrongLeaf(graph, lost, value, mining, names) : kept;
  const usual = withOutliers(graph, given, mining, kept, lost);
  let node = hasDomain && canBeInvalid ? wrong : usual;
  if (hasDomain && canBeInvalid) {
    for (const interval of field.intervals) node = testInterval(graph, given, interval, usual, node);
    if (valid.length > 0) node = graph.member(given, valid, false, usual, node);
  }
  if (invalid.length > 0 && canBeInvalid) node = graph.member(given, invalid, false, wrong, node);
  if (missing.length > 0) node = graph.member(given, missing, true, lost, node);
  const answer = graph.run([graph.isMissing(given, lost, node)], [0, 0, 0], given);
  const column = (index: number) => answer.selectColumns([index]);
  const treated = choose(compare('equal', column(KEEP), 1), given, column(VALUE)) as Flow<'vector'>;
  if (!canBeInvalid || mining.invalidTreatment !== 'returnInvalid') return treated;
  // Valid rows pass NaN, the only key of the list. An invalid value is an unknown key.
  const shown = choose(compare('equal', column(REJECT), 1), given, MISSING) as Flow<'vector'>;
  return guarded(treated, shown, MISSING);
}

function wrongLeaf(
  graph: Graph,
  lost: GraphNode,
  value: Value,
  mining: MiningField,
  names: Context['names'],
): GraphNode {
  if (mining.invalidTreatment === 'asMissing') return lost;
  if (mining.invalidTreatment === 'returnInvalid') return graph.leaf([[REJECT, 1]]);
  return graph.leaf([[VALUE, constantOf(value, replacementOf(mining), names, mining.at)]]);
}

function withOutliers(
  graph: Graph,
  given: Flow<'vector'>,
  { outliers, low, high }: MiningField,
  kept: GraphNode,
  lost: GraphNode,
): GraphNode {
  if (outliers === 'asIs') return kept;
  const extreme = (bound: number) => (outliers === 'asMissingValues' ? lost : graph.leaf([[VALUE, bound]]));
  const above = Number.isFinite(high) ? graph.compare(given, GT, high, false, extreme(high), kept) : kept;
  return Number.isFinite(low) ? graph.compare(given, LT, low, false, extreme(low), above) : above;
}

/** Replaces missing values, or rejects them. */
export function treatMissing(operand: Operand, value: Value, mining: MiningField, names: Context['names']): Operand {
  if (mining.rejectsMissing) {
    return typeof operand === 'number' ? operand : rejectMissing(operand);
  }
  if (mining.missingReplacement === undefined) return operand;
  const replacement = constantOf(value, mining.missingReplacement, names, mining.at);
  if (typeof operand === 'number') return Number.isNaN(operand) ? replacement : operand;
  return operand.impute({ values: replacement, missing: MISSING });
}

/**
 * Treats a field again for a model inside a mining model: outliers and missing values. The outer
 * model has treated invalid values.
 */
export function prepareAgain(value: Value, mining: MiningField, names: Context['names']): Value {
  const { outliers, low, high } = mining;
  let { operand } = value;
  if (outliers !== 'asIs' && value.type === 'number') {
    if (outliers === 'asExtremeValues') {
      if (Number.isFinite(low)) operand = choose(compare('less', operand, low), low, operand);
      if (Number.isFinite(high)) operand = choose(compare('greater', operand, high), high, operand);
    } else {
      operand = choose(compare('less', operand, low), MISSING, operand);
      operand = choose(compare('greater', operand, high), MISSING, operand);
    }
  }
  const treated = treatMissing(operand, value, mining, names);
  return treated === value.operand ? value : { ...value, operand: treated };
}
