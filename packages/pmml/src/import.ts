import type { FlourContext, Flow, Program, ProgramNode } from '@brezel/flour';
import { Budget } from './budget.js';
import type { Context } from './context.js';
import { damaged, pmmlError, unsupported } from './errors.js';
import { readFunctions } from './expressions/expression.js';
import { type DataDictionary, readDataDictionary } from './fields/data-dictionary.js';
import { readMiningSchema } from './fields/mining-schema.js';
import { type Input, inputOf } from './fields/prepare.js';
import { Scope } from './fields/scope.js';
import { convertModel, type Document, defineFields, expressionUse, modelUse } from './models/read-model.js';
import type { Result } from './models/result.js';
import { arithmetic, asFloat, booleanOf, compare } from './operands.js';
import { checkArguments, type ImportedPmml, limitsOf, type PmmlOptions } from './options.js';
import { answersOf } from './outputs.js';
import { Names, type Operand } from './value.js';
import { arrayItems, type Element } from './xml/element.js';
import { readXml } from './xml/read-xml.js';

export { isPmml } from './xml/read-xml.js';

/** The elements of a document that are not models. */
const notModels: ReadonlySet<string> = new Set([
  'Header',
  'MiningBuildTask',
  'DataDictionary',
  'TransformationDictionary',
]);

const LONGEST_PRODUCER = 60;

/**
 * Imports a model from a PMML file, versions 3.0 to 4.4: RegressionModel, GeneralRegressionModel,
 * TreeModel, Scorecard and MiningModel. docs/pmml.md lists the supported elements.
 *
 * Inputs: the active fields of the mining schema. Strings are texts, where the empty text is
 * missing; other fields are float64, where NaN is missing; booleans are bools. Outputs:
 * `prediction`, float64, of a regression; `label` and `probabilities`, float64[classes], of a
 * classification; then the output fields of the file. Cost: O(bytes). If the import fails, the
 * store is unchanged.
 * @throws ERR_PMML_FORMAT for a damaged file, with the element and its line; ERR_PMML_UNSUPPORTED
 * for an element that the importer does not support; ERR_PMML_LIMIT; ERR_PMML_OPTION.
 * @see Source: PMML 4.4 of the Data Mining Group, https://dmg.org/pmml/v4-4/GeneralStructure.html
 * @example const { program } = importPmml(readFileSync('scorecard.pmml'), flour);
 */
export function importPmml(model: Uint8Array | string, flour: FlourContext, options: PmmlOptions = {}): ImportedPmml {
  checkArguments(flour, options);
  const bytes = typeof model === 'string' ? Buffer.from(model) : model;
  const budget = new Budget(limitsOf(options, bytes.length));
  const root = readXml(bytes, budget);
  const counts: Record<string, number> = {};
  const warnings = new Set<string>();
  // The leaves of trees are NaN where the model has no prediction. Numbers of the file are finite.
  const program = flour.attempt(() => build(root, { flour, budget, counts, warnings }, options), {
    nonFinite: 'allow',
    onParameter: (elements) => budget.elements(elements, 'a parameter'),
  });
  return { program, producer: producerOf(root), operators: counts, fileBytes: bytes.length, warnings: [...warnings] };
}

function producerOf(root: Element): string {
  const application = root.find('Header')?.find('Application');
  const parts = [application?.get('name'), application?.get('version'), `(PMML ${root.get('version')})`];
  return parts
    .filter((part) => part !== undefined)
    .join(' ')
    .slice(0, LONGEST_PRODUCER);
}

type Shared = Omit<Context, 'any' | 'names'>;

function build(root: Element, shared: Shared, options: PmmlOptions): Program {
  if (root.name !== 'PMML') throw damaged('the file', 'an element PMML', root.name);
  const version = root.required('version');
  if (!/^[34]\.\d/.test(version)) throw unsupported(root.at, `version="${version}"`);
  const element = modelOf(root, shared.warnings);
  const dictionary = readDataDictionary(root.child('DataDictionary'));
  const names = namesOf(root, dictionary);
  const schema = readMiningSchema(element);
  const scope = new Scope(shared.budget);
  const inputs = defineInputs({ ...shared, names }, dictionary, schema, scope, element);
  const context: Context = { ...shared, names, any: anyNumber(inputs) };
  const transformations = root.find('TransformationDictionary');
  const document: Document = { context, dictionary, functions: readFunctions(transformations) };
  defineFields(document, scope, transformations);
  const use = modelUse(document, element, schema, scope);
  const result = withUnused(convertModel(use), scope, inputs, element.at);
  const answers = answersOf(use, result, expressionUse(document, scope));
  const { outputs, name = 'model' } = options;
  const unknown = outputs?.find((output) => !answers.has(output));
  if (unknown !== undefined)
    throw pmmlError('ERR_PMML_OPTION', {
      expected: `some of ${[...answers.keys()].join(', ')}`,
      received: JSON.stringify(unknown) ?? typeof unknown,
      at: 'outputs',
    });
  const chosen = [...answers].filter(([output]) => outputs?.includes(output) ?? true);
  return shared.flour.program(Object.fromEntries(chosen), { name, inputs: inputs.map(({ flow }) => flow) });
}

/**
 * Checks the fields that the model does not read, because a row with an invalid value has no
 * prediction. Adds 0 to the result, so that the checks run.
 */
function withUnused(result: Result, scope: Scope, inputs: readonly Input[], at: string): Result {
  const read = nodesOf(result.kind === 'regression' ? [result.value] : [result.label, result.probabilities]);
  const checked = inputs.filter(({ canReject }) => canReject).map(({ flow }) => scope.field(nameOf(flow), at).operand);
  const unused = checked.filter((operand) => typeof operand !== 'number' && !read.has(operand.node));
  const isBelowAll = (operand: Operand) => booleanOf(compare('less', operand, Number.NEGATIVE_INFINITY));
  const zero = unused.map(isBelowAll).reduce((sum, one) => arithmetic('add', sum, one), 0);
  if (typeof zero === 'number') return result;
  if (result.kind === 'regression') return { ...result, value: arithmetic('add', result.value, zero) };
  return {
    ...result,
    label: result.label.arithmetic('add', zero),
    probabilities: result.probabilities.arithmetic('add', zero),
  };
}

/** Returns the nodes of a program that compute operands. */
function nodesOf(operands: readonly Operand[]): ReadonlySet<ProgramNode> {
  const found = new Set<ProgramNode>();
  const waiting = operands.flatMap((operand) => (typeof operand === 'number' ? [] : [operand.node]));
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (found.has(node)) continue;
    found.add(node);
    for (const input of node.inputs) waiting.push(input);
  }
  return found;
}

const nameOf = ({ node }: Flow): string => node.name ?? '';

function modelOf(root: Element, warnings: Set<string>): Element {
  const models = root.children.filter(({ name }) => !notModels.has(name));
  const [first, ...others] = models;
  if (first === undefined) throw damaged(root.at, 'a model', 'none');
  if (others.length > 0) warnings.add(`the file has ${models.length} models; only the first one is imported`);
  return first;
}

/**
 * Collects the strings of a document. An input of strings needs all of them before the first
 * element is converted. If no field is a string, they are not needed.
 */
function namesOf(root: Element, dictionary: DataDictionary): Names {
  const names = new Names();
  if (![...dictionary.values()].some(({ dataType }) => dataType === 'string')) return names;
  const waiting = [root];
  for (let element = waiting.pop(); element !== undefined; element = waiting.pop()) {
    for (const attribute of valueAttributes) {
      const text = element.get(attribute);
      if (text !== undefined && !isNumeric(element, dictionary)) names.code(text);
    }
    if (element.name === 'Array') for (const item of arrayItems(element)) names.code(item);
    else if (element.name === 'Constant' || isCell(element)) names.code(element.text);
    for (let child = element.children.length - 1; child >= 0; child--) waiting.push(element.children[child]!);
  }
  return names;
}

/** The attributes that may contain a string of a field. */
const valueAttributes = [
  'value',
  'binValue',
  'defaultValue',
  'mapMissingTo',
  'missingValueReplacement',
  'invalidValueReplacement',
  'targetCategory',
  'score',
] as const;

/** Whether the values of an element belong to a field of numbers. */
function isNumeric(element: Element, dictionary: DataDictionary): boolean {
  const field = element.get('field');
  const dataType = field === undefined ? undefined : dictionary.get(field)?.dataType;
  return dataType !== undefined && dataType !== 'string';
}

/** Whether an element may be a cell of an `InlineTable`. */
const isCell = ({ children, text }: Element): boolean => children.length === 0 && text !== '';

function defineInputs(
  shared: Omit<Context, 'any'>,
  dictionary: DataDictionary,
  schema: ReturnType<typeof readMiningSchema>,
  scope: Scope,
  element: Element,
): readonly Input[] {
  const inputs: Input[] = [];
  for (const mining of schema) {
    if (mining.usage !== 'active') continue;
    shared.budget.node(mining.at);
    const field = dictionary.get(mining.name);
    if (field === undefined) throw damaged(mining.at, 'a field of the DataDictionary', mining.name);
    if (scope.has(mining.name)) throw damaged(mining.at, 'distinct fields', mining.name);
    const input = inputOf(shared, field, mining);
    scope.define(mining.name, input.convert);
    inputs.push(input);
  }
  if (inputs.length === 0) throw damaged(element.at, 'an active field', 'none');
  return inputs;
}

/** Returns a flow of one number that constants can read. */
function anyNumber(inputs: readonly Input[]): Flow<'vector'> {
  const { flow } = inputs.find((input) => input.flow.kind === 'scalar') ?? inputs[0]!;
  const index = flow.kind === 'text' ? (flow as Flow<'text'>).indexOf(['']) : (flow as Flow<'scalar'>);
  return asFloat(index.asVector());
}
