import { SaxesParser } from 'saxes';

// A slow interpreter of PMML, written from the specification alone. It shares no code with the
// importer. A missing value is undefined.

/** An element of a document. */
export interface Tag {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: Tag[];
  text: string;
}

type Value = number | string | boolean | undefined;
type Fields = (name: string) => Value;

/** A row that the model rejects. */
export class RejectedRow extends Error {}

/** The answer of a model: a number or a class, and the probability of each class. */
export interface Answer {
  readonly prediction: Value;
  readonly probabilities?: ReadonlyMap<string, number> | undefined;
  readonly reasons?: readonly string[];
}

export function parse(text: string): Tag {
  const parser = new SaxesParser();
  const open: Tag[] = [];
  let root: Tag | undefined;
  parser.on('opentag', ({ name, attributes }) => {
    const tag: Tag = { name, attributes: attributes as Record<string, string>, children: [], text: '' };
    root ??= tag;
    open.at(-1)?.children.push(tag);
    open.push(tag);
  });
  parser.on('text', (piece) => {
    if (open.length > 0) open.at(-1)!.text += piece;
  });
  parser.on('closetag', () => open.pop());
  parser.write(text).close();
  return root!;
}

const child = (tag: Tag, name: string): Tag | undefined => tag.children.find((one) => one.name === name);
const all = (tag: Tag | undefined, name: string): Tag[] => tag?.children.filter((one) => one.name === name) ?? [];
const num = (tag: Tag, name: string, fallback = Number.NaN): number =>
  tag.attributes[name] === undefined ? fallback : Number(tag.attributes[name]);

const models = ['RegressionModel', 'TreeModel', 'MiningModel', 'Scorecard'];
const predicates = ['SimplePredicate', 'SimpleSetPredicate', 'CompoundPredicate', 'True', 'False'];

/** Converts a text of the document to the type of a field. */
function typed(text: string, dataType: string): Value {
  if (dataType === 'string') return text;
  if (dataType === 'boolean') return text === 'true' || text === '1';
  return dataType === 'float' ? Math.fround(Number(text)) : Number(text);
}

const isIn = (value: number, interval: Tag): boolean => {
  const [low, high] = [num(interval, 'leftMargin', -Infinity), num(interval, 'rightMargin', Infinity)];
  const closure = interval.attributes.closure!;
  const above = closure.startsWith('closed') ? value >= low : value > low;
  return above && (closure.endsWith('Closed') ? value <= high : value < high);
};

/** Evaluates a document. */
export class Evaluator {
  readonly #root: Tag;
  readonly #types = new Map<string, string>();

  constructor(text: string) {
    this.#root = parse(text);
    for (const field of all(child(this.#root, 'DataDictionary'), 'DataField'))
      this.#types.set(field.attributes.name!, field.attributes.dataType!);
  }

  evaluate(row: Readonly<Record<string, unknown>>): Answer {
    const model = this.#root.children.find(({ name }) => models.includes(name))!;
    const values = new Map<string, Value>();
    for (const mining of all(child(model, 'MiningSchema'), 'MiningField')) {
      if ((mining.attributes.usageType ?? 'active') !== 'active') continue;
      const name = mining.attributes.name!;
      values.set(name, this.#prepare(name, mining, row[name]));
    }
    const fields = this.#derived(child(this.#root, 'TransformationDictionary'), (name) => values.get(name));
    return this.#model(model, fields);
  }

  #prepare(name: string, mining: Tag, given: unknown): Value {
    const field = all(child(this.#root, 'DataDictionary'), 'DataField').find((one) => one.attributes.name === name)!;
    const dataType = field.attributes.dataType!;
    let value = given as Value;
    if (dataType === 'float' && typeof value === 'number') value = Math.fround(value);
    const isMissing = value === undefined || value === null || value === '' || Number.isNaN(value);
    if (isMissing) value = undefined;
    const listed = (property: string) =>
      all(field, 'Value')
        .filter((one) => (one.attributes.property ?? 'valid') === property)
        .map((one) => typed(one.attributes.value!, dataType));
    if (listed('missing').includes(value)) value = undefined;
    const intervals = all(field, 'Interval');
    const hasDomain = listed('valid').length > 0 || intervals.length > 0;
    const isValid =
      listed('valid').includes(value) || intervals.some((one) => isIn(value as number, one)) || !hasDomain;
    if (value !== undefined && (listed('invalid').includes(value) || !isValid)) {
      switch (mining.attributes.invalidValueTreatment ?? 'returnInvalid') {
        case 'returnInvalid':
          throw new RejectedRow();
        case 'asMissing':
          value = undefined;
          break;
        case 'asValue':
          return typed(mining.attributes.invalidValueReplacement!, dataType);
      }
    }
    return this.#outliersAndMissing(mining, value, dataType);
  }

  #outliersAndMissing(mining: Tag, given: Value, dataType: string): Value {
    let value = given;
    const { outliers, missingValueReplacement } = mining.attributes;
    if (typeof value === 'number' && outliers !== undefined) {
      const [low, high] = [num(mining, 'lowValue', -Infinity), num(mining, 'highValue', Infinity)];
      const bounded = Math.min(Math.max(value, low), high);
      if (bounded !== value) {
        if (outliers === 'asMissingValues') value = undefined;
        if (outliers === 'asExtremeValues') value = bounded;
      }
    }
    if (value !== undefined) return value;
    if (mining.attributes.missingValueTreatment === 'returnInvalid') throw new RejectedRow();
    return missingValueReplacement === undefined ? undefined : typed(missingValueReplacement, dataType);
  }

  #derived(owner: Tag | undefined, outer: Fields): Fields {
    const tags = new Map(all(owner, 'DerivedField').map((tag) => [tag.attributes.name!, tag]));
    const fields: Fields = (name) => {
      const tag = tags.get(name);
      if (tag === undefined) return outer(name);
      this.#types.set(name, tag.attributes.dataType!);
      const value = this.#expression(tag.children[0]!, fields, tag.attributes.dataType!);
      return tag.attributes.dataType === 'float' && typeof value === 'number' ? Math.fround(value) : value;
    };
    for (const [name, tag] of tags) this.#types.set(name, tag.attributes.dataType!);
    return fields;
  }

  #expression(tag: Tag, fields: Fields, dataType: string): Value {
    const { attributes } = tag;
    switch (tag.name) {
      case 'Constant': {
        const own = attributes.dataType ?? (tag.text !== '' && !Number.isNaN(Number(tag.text)) ? 'double' : dataType);
        return typed(tag.text, own);
      }
      case 'FieldRef': {
        const value = fields(attributes.field!);
        if (value !== undefined || attributes.mapMissingTo === undefined) return value;
        return typed(attributes.mapMissingTo, this.#types.get(attributes.field!)!);
      }
      case 'NormDiscrete': {
        const value = fields(attributes.field!);
        if (value === undefined) return attributes.mapMissingTo === undefined ? undefined : num(tag, 'mapMissingTo');
        return value === typed(attributes.value!, this.#types.get(attributes.field!)!) ? 1 : 0;
      }
      case 'NormContinuous':
        return this.#interpolate(tag, fields(attributes.field!) as number | undefined);
      case 'Discretize': {
        const value = fields(attributes.field!) as number | undefined;
        const own = attributes.dataType ?? dataType;
        const result = (text: string | undefined) => (text === undefined ? undefined : typed(text, own));
        if (value === undefined) return result(attributes.mapMissingTo);
        const bin = all(tag, 'DiscretizeBin').find((one) => isIn(value, child(one, 'Interval')!));
        return result(bin === undefined ? attributes.defaultValue : bin.attributes.binValue);
      }
      case 'MapValues':
        return this.#mapValues(tag, fields, dataType);
      case 'Apply':
        return this.#apply(tag, fields);
      default:
        throw new Error(`no expression: ${tag.name}`);
    }
  }

  #interpolate(tag: Tag, x: number | undefined): Value {
    if (x === undefined) return tag.attributes.mapMissingTo === undefined ? undefined : num(tag, 'mapMissingTo');
    const points = all(tag, 'LinearNorm').map((one) => [num(one, 'orig'), num(one, 'norm')] as const);
    const [first, last] = [points[0]!, points.at(-1)!];
    const outliers = tag.attributes.outliers ?? 'asIs';
    if (x < first[0] || x > last[0]) {
      if (outliers === 'asMissingValues') return undefined;
      if (outliers === 'asExtremeValues') return x < first[0] ? first[1] : last[1];
    }
    let place = 0;
    while (place + 2 < points.length && x >= points[place + 1]![0]) place++;
    const [[a1, b1], [a2, b2]] = [points[place]!, points[place + 1]!];
    return b1 + ((x - a1) / (a2 - a1)) * (b2 - b1);
  }

  #mapValues(tag: Tag, fields: Fields, dataType: string): Value {
    const own = tag.attributes.dataType ?? dataType;
    const result = (text: string | undefined) => (text === undefined ? undefined : typed(text, own));
    const pairs = all(tag, 'FieldColumnPair').map(({ attributes }) => ({
      value: fields(attributes.field!),
      column: attributes.column!,
      type: this.#types.get(attributes.field!)!,
    }));
    if (pairs.some(({ value }) => value === undefined)) return result(tag.attributes.mapMissingTo);
    const row = all(child(tag, 'InlineTable'), 'row').find((one) =>
      pairs.every(({ value, column, type }) => typed(child(one, column)!.text, type) === value),
    );
    return result(row === undefined ? tag.attributes.defaultValue : child(row, tag.attributes.outputColumn!)!.text);
  }

  #apply(tag: Tag, fields: Fields): Value {
    const name = tag.attributes.function!;
    const values = tag.children.map((one) => this.#expression(one, fields, 'double'));
    if (tag.attributes.mapMissingTo !== undefined && values.includes(undefined)) return num(tag, 'mapMissingTo');
    const value = builtIn(name, values);
    return value === undefined && tag.attributes.defaultValue !== undefined ? num(tag, 'defaultValue') : value;
  }

  /** Evaluates a predicate: true, false, or undefined for unknown. */
  #predicate(tag: Tag, fields: Fields): boolean | undefined {
    const { attributes } = tag;
    switch (tag.name) {
      case 'True':
        return true;
      case 'False':
        return false;
      case 'SimplePredicate': {
        const value = fields(attributes.field!);
        if (attributes.operator === 'isMissing') return value === undefined;
        if (attributes.operator === 'isNotMissing') return value !== undefined;
        if (value === undefined) return undefined;
        return compared(attributes.operator!, value, typed(attributes.value!, this.#types.get(attributes.field!)!)!);
      }
      case 'SimpleSetPredicate': {
        const value = fields(attributes.field!);
        if (value === undefined) return undefined;
        const items = [...child(tag, 'Array')!.text.matchAll(/"([^"]*)"|(\S+)/g)].map((item) => item[1] ?? item[2]!);
        const found = items.some((item) => typed(item, this.#types.get(attributes.field!)!) === value);
        return found === (attributes.booleanOperator === 'isIn');
      }
      default: {
        const results = tag.children.map((one) => this.#predicate(one, fields));
        switch (attributes.booleanOperator) {
          case 'and':
            return results.includes(false) ? false : results.includes(undefined) ? undefined : true;
          case 'or':
            return results.includes(true) ? true : results.includes(undefined) ? undefined : false;
          case 'xor':
            if (results.includes(undefined)) return undefined;
            return results.filter((result) => result === true).length % 2 === 1;
          default:
            return results.find((result) => result !== undefined);
        }
      }
    }
  }

  #predicateOf(owner: Tag, fields: Fields): boolean | undefined {
    return this.#predicate(owner.children.find(({ name }) => predicates.includes(name))!, fields);
  }

  #targetName(model: Tag): string | undefined {
    return all(child(model, 'MiningSchema'), 'MiningField').find((one) =>
      ['target', 'predicted'].includes(one.attributes.usageType ?? ''),
    )?.attributes.name;
  }

  #classes(model: Tag): string[] {
    const field = all(child(this.#root, 'DataDictionary'), 'DataField').find(
      (one) => one.attributes.name === this.#targetName(model),
    );
    return all(field, 'Value').map((one) => one.attributes.value!);
  }

  #model(model: Tag, outer: Fields): Answer {
    const prepared: Fields = (name) => {
      const mining = all(child(model, 'MiningSchema'), 'MiningField').find((one) => one.attributes.name === name);
      const value = outer(name);
      return mining === undefined ? value : this.#outliersAndMissing(mining, value, this.#types.get(name)!);
    };
    const fields = this.#derived(child(model, 'LocalTransformations'), prepared);
    const answer = this.#kind(model, fields);
    const target = child(model, 'Targets')?.children[0];
    return target === undefined ? answer : { ...answer, prediction: targeted(target, answer.prediction) };
  }

  #kind(model: Tag, fields: Fields): Answer {
    switch (model.name) {
      case 'RegressionModel':
        return this.#regression(model, fields);
      case 'TreeModel':
        return this.#tree(model, fields);
      case 'Scorecard':
        return this.#scorecard(model, fields);
      default:
        return this.#mining(model, fields);
    }
  }

  #regression(model: Tag, fields: Fields): Answer {
    const tables = all(model, 'RegressionTable');
    const scores = tables.map((table) => {
      let sum: number | undefined = num(table, 'intercept');
      for (const term of table.children) {
        const weight = num(term, 'coefficient');
        if (term.name === 'CategoricalPredictor') {
          const name = term.attributes.name!;
          if (fields(name) === typed(term.attributes.value!, this.#types.get(name)!)) sum = sum! + weight;
          continue;
        }
        const values =
          term.name === 'NumericPredictor'
            ? [fields(term.attributes.name!)].map((x) =>
                x === undefined ? x : (x as number) ** num(term, 'exponent', 1),
              )
            : all(term, 'FieldRef').map((one) => fields(one.attributes.field!));
        if (values.includes(undefined)) return undefined;
        sum = sum! + weight * (values as number[]).reduce((product, x) => product * Number(x), 1);
      }
      return sum;
    });
    const method = model.attributes.normalizationMethod ?? 'none';
    const isMissing = scores.includes(undefined);
    if (model.attributes.functionName === 'regression')
      return { prediction: isMissing ? undefined : normalized(method, scores[0]!) };
    if (isMissing) return { prediction: undefined };
    const categories = tables.map((table) => table.attributes.targetCategory!);
    const field = all(child(this.#root, 'DataDictionary'), 'DataField').find(
      (one) => one.attributes.name === this.#targetName(model),
    );
    const probabilities = probabilitiesOf(method, scores as number[], field?.attributes.optype === 'ordinal');
    return this.#winner(model, new Map(categories.map((name, index) => [name, probabilities[index]!])));
  }

  /** Chooses the most probable class. Of equal ones, the first in the data dictionary wins. */
  #winner(model: Tag, probabilities: ReadonlyMap<string, number>): Answer {
    const names = [...new Set([...this.#classes(model), ...probabilities.keys()])];
    const ordered = new Map(names.map((name) => [name, probabilities.get(name) ?? 0]));
    let best = names[0]!;
    for (const name of names) if (ordered.get(name)! > ordered.get(best)!) best = name;
    return { prediction: best, probabilities: ordered };
  }

  #node(model: Tag, node: Tag, fields: Fields): Tag | undefined {
    const children = all(node, 'Node');
    if (children.length === 0) return node;
    const isScored = node.attributes.score !== undefined || child(node, 'ScoreDistribution') !== undefined;
    for (const one of children) {
      const result = this.#predicateOf(one, fields);
      if (result === true) return this.#node(model, one, fields);
      if (result === false) continue;
      switch (model.attributes.missingValueStrategy ?? 'none') {
        case 'nullPrediction':
          return undefined;
        case 'lastPrediction':
          return isScored ? node : undefined;
        case 'defaultChild':
          return this.#node(
            model,
            children.find((each) => each.attributes.id === node.attributes.defaultChild)!,
            fields,
          );
      }
    }
    return model.attributes.noTrueChildStrategy === 'returnLastPrediction' && isScored ? node : undefined;
  }

  #tree(model: Tag, fields: Fields): Answer {
    const root = child(model, 'Node')!;
    const node = this.#predicateOf(root, fields) === true ? this.#node(model, root, fields) : undefined;
    if (node === undefined) return { prediction: undefined };
    if (model.attributes.functionName === 'regression') return { prediction: num(node, 'score') };
    const entries = all(node, 'ScoreDistribution');
    const { score } = node.attributes;
    if (entries.length === 0) return { prediction: score!, probabilities: new Map([[score!, 1]]) };
    const total = entries.reduce((sum, one) => sum + num(one, 'recordCount', 0), 0);
    const probabilities = new Map(
      entries.map((one) => [one.attributes.value!, num(one, 'probability', num(one, 'recordCount') / total)]),
    );
    if (score !== undefined) return { prediction: score, probabilities };
    const best = [...probabilities].reduce((most, one) => (one[1] > most[1] ? one : most));
    return { prediction: best[0], probabilities };
  }

  #scorecard(model: Tag, fields: Fields): Answer {
    let score: number | undefined = num(model, 'initialScore', 0);
    const differences: { difference: number; code: string }[] = [];
    for (const characteristic of child(model, 'Characteristics')!.children) {
      const attribute = all(characteristic, 'Attribute').find((one) => this.#predicateOf(one, fields) === true);
      if (attribute === undefined) return { prediction: undefined };
      const complex = child(attribute, 'ComplexPartialScore');
      const partial =
        complex === undefined
          ? num(attribute, 'partialScore')
          : (this.#expression(complex.children[0]!, fields, 'double') as number | undefined);
      score = score === undefined || partial === undefined ? undefined : score + partial;
      const baseline = num(characteristic, 'baselineScore', num(model, 'baselineScore'));
      const below = baseline - (partial ?? Number.NaN);
      differences.push({
        difference: model.attributes.reasonCodeAlgorithm === 'pointsAbove' ? -below : below,
        code: attribute.attributes.reasonCode ?? characteristic.attributes.reasonCode ?? '',
      });
    }
    // Reasons explain a score.
    if (score === undefined) return { prediction: undefined };
    const reasons = differences
      .map((one, index) => ({ ...one, index }))
      .sort((a, b) => b.difference - a.difference || a.index - b.index)
      .map(({ code }) => code);
    return { prediction: score, reasons };
  }

  #mining(model: Tag, outer: Fields): Answer {
    const segmentation = child(model, 'Segmentation')!;
    const method = segmentation.attributes.multipleModelMethod!;
    const chained = new Map<string, Value>();
    const fields: Fields = (name) => (chained.has(name) ? chained.get(name) : outer(name));
    const answers: { answer: Answer; weight: number }[] = [];
    for (const segment of all(segmentation, 'Segment')) {
      if (this.#predicateOf(segment, fields) !== true) continue;
      const inner = segment.children.find(({ name }) => models.includes(name))!;
      const answer = this.#model(inner, fields);
      answers.push({ answer, weight: method.startsWith('weighted') ? num(segment, 'weight', 1) : 1 });
      if (method === 'selectFirst') return answer;
      for (const field of all(child(inner, 'Output'), 'OutputField')) {
        const { name, feature, value } = field.attributes;
        this.#types.set(name!, field.attributes.dataType ?? 'double');
        chained.set(name!, feature === 'probability' ? answer.probabilities?.get(value!) : answer.prediction);
      }
    }
    if (method === 'modelChain') return answers.at(-1)!.answer;
    const treatment = segmentation.attributes.missingPredictionTreatment ?? 'continue';
    const isVote = /vote/i.test(method);
    const isMissing = answers.some(({ answer }) => answer.prediction === undefined);
    if (isMissing && (treatment === 'returnMissing' || (treatment === 'continue' && !isVote)))
      return { prediction: undefined };
    const used = answers.filter(({ answer }) => answer.prediction !== undefined);
    if (used.length === 0) return { prediction: undefined };
    const weights = used.reduce((sum, { weight }) => sum + weight, 0);
    if (model.attributes.functionName === 'classification') {
      const votes = new Map<string, number>();
      for (const { answer, weight } of used) {
        const own = isVote ? new Map([[answer.prediction as string, 1]]) : answer.probabilities!;
        for (const [name, share] of own) votes.set(name, (votes.get(name) ?? 0) + (share * weight) / weights);
      }
      const total = [...votes.values()].reduce((sum, vote) => sum + vote, 0);
      return this.#winner(model, new Map([...votes].map(([name, vote]) => [name, vote / total])));
    }
    const values = used.map(({ answer, weight }) => (answer.prediction as number) * weight);
    if (method === 'max') return { prediction: Math.max(...values) };
    const sum = values.reduce((total, value) => total + value, 0);
    return { prediction: /average/i.test(method) ? sum / weights : sum };
  }
}

function compared(operator: string, a: NonNullable<Value>, b: NonNullable<Value>): boolean {
  switch (operator) {
    case 'equal':
      return a === b;
    case 'notEqual':
      return a !== b;
    case 'lessThan':
      return a < b;
    case 'lessOrEqual':
      return a <= b;
    case 'greaterThan':
      return a > b;
    default:
      return a >= b;
  }
}

/** The distribution function of the normal distribution, integrated in steps (Simpson's rule). */
function normalDistribution(x: number): number {
  const steps = 4000;
  const width = x / steps;
  const density = (t: number) => Math.exp((-t * t) / 2) / Math.sqrt(2 * Math.PI);
  let sum = density(0) + density(x);
  for (let step = 1; step < steps; step++) sum += density(step * width) * (step % 2 === 1 ? 4 : 2);
  return 0.5 + (sum * width) / 3;
}

function normalized(method: string, y: number): number {
  switch (method) {
    case 'softmax':
    case 'logit':
      return 1 / (1 + Math.exp(-y));
    case 'exp':
      return Math.exp(y);
    case 'probit':
      return normalDistribution(y);
    case 'cloglog':
      return 1 - Math.exp(-Math.exp(y));
    case 'loglog':
      return Math.exp(-Math.exp(-y));
    case 'cauchit':
      return 0.5 + Math.atan(y) / Math.PI;
    default:
      return y;
  }
}

function probabilitiesOf(method: string, scores: readonly number[], isOrdinal: boolean): number[] {
  const last = scores.length - 1;
  if (isOrdinal) {
    const upTo = scores.map((score, index) => (index === last ? 1 : normalized(method, score)));
    return upTo.map((sum, index) => sum - (upTo[index - 1] ?? 0));
  }
  const total = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0);
  if (method === 'softmax') {
    const exps = scores.map(Math.exp);
    return exps.map((value) => value / total(exps));
  }
  if (method === 'simplemax') return scores.map((score) => score / total(scores));
  const own = scores.slice(0, last).map((score) => normalized(method, score));
  return [...own, 1 - total(own)];
}

function targeted(target: Tag, prediction: Value): Value {
  let value = prediction as number | undefined;
  if (value === undefined)
    value = all(target, 'TargetValue')
      .map((one) => num(one, 'defaultValue'))
      .find((x) => !Number.isNaN(x));
  if (value === undefined) return undefined;
  value = Math.min(Math.max(value, num(target, 'min', -Infinity)), num(target, 'max', Infinity));
  value = value * num(target, 'rescaleFactor', 1) + num(target, 'rescaleConstant', 0);
  switch (target.attributes.castInteger) {
    case 'round':
      return Math.floor(value + 0.5);
    case 'ceiling':
      return Math.ceil(value);
    case 'floor':
      return Math.floor(value);
    default:
      return value;
  }
}

/** Evaluates a built-in function. */
export function builtIn(name: string, values: readonly Value[]): Value {
  const present = values.filter((value) => value !== undefined) as number[];
  const isMissing = present.length < values.length;
  const [a, b] = values as [number, number];
  switch (name) {
    case 'isMissing':
      return isMissing;
    case 'isNotMissing':
      return !isMissing;
    case 'if':
      return values[0] === undefined ? undefined : values[0] ? values[1] : values[2];
    case 'and':
      return values.includes(false) ? false : isMissing ? undefined : true;
    case 'or':
      return values.includes(true) ? true : isMissing ? undefined : false;
    case 'min':
      return present.length === 0 ? undefined : Math.min(...present);
    case 'max':
      return present.length === 0 ? undefined : Math.max(...present);
    case 'sum':
      return present.length === 0 ? undefined : present.reduce((sum, x) => sum + x, 0);
    case 'product':
      return present.length === 0 ? undefined : present.reduce((product, x) => product * x, 1);
    case 'avg':
      return present.length === 0 ? undefined : present.reduce((sum, x) => sum + x, 0) / present.length;
    case 'isIn':
      return values[0] === undefined ? undefined : values.slice(1).includes(values[0]);
    case 'isNotIn':
      return values[0] === undefined ? undefined : !values.slice(1).includes(values[0]);
  }
  if (isMissing) return undefined;
  switch (name) {
    case '+':
      return a + b;
    case '-':
      return values.length === 1 ? -a : a - b;
    case '*':
      return a * b;
    case '/':
      return a / b;
    case 'pow':
      return a ** b;
    case 'exp':
      return Math.exp(a);
    case 'ln':
      return Math.log(a);
    case 'log10':
      return Math.log10(a);
    case 'sqrt':
      return Math.sqrt(a);
    case 'abs':
      return Math.abs(a);
    case 'floor':
      return Math.floor(a);
    case 'ceil':
      return Math.ceil(a);
    case 'round':
      return Math.floor(a + 0.5);
    case 'threshold':
      return a > b ? 1 : 0;
    case 'not':
      return !a;
    default:
      return compared(name, a, b);
  }
}
