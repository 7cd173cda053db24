import { pmml, schema } from './documents.js';

/** Draws random numbers from a seed. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** Returns a number from 0 to 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let bits = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61);
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32;
  }

  int(below: number): number {
    return Math.floor(this.next() * below);
  }

  pick<T>(list: readonly T[]): T {
    return list[this.int(list.length)]!;
  }

  chance(share: number): boolean {
    return this.next() < share;
  }

  list<T>(least: number, most: number, make: (index: number) => T): T[] {
    return Array.from({ length: least + this.int(most - least + 1) }, (_, index) => make(index));
  }
}

type Kind = 'number' | 'string' | 'boolean';

interface Field {
  readonly name: string;
  readonly kind: Kind;
  readonly canBeMissing: boolean;
}

const classes = ['p', 'q', 'r'] as const;
const words = ['red', 'green', 'dark blue', 'x'] as const;
const numbers = [-2, -1, -0.5, 0, 0.1, 0.5, 1, 1.5, 2, 3] as const;

/** A random model and rows for it. */
export interface Generated {
  readonly text: string;
  readonly rows: readonly Record<string, unknown>[];
  readonly isClassification: boolean;
}

/** Writes a random model with random rows. */
export const generate = (seed: number): Generated => new Generator(seed).document();

class Generator {
  readonly #random: Random;
  readonly #fields: Field[] = [];

  constructor(seed: number) {
    this.#random = new Random(seed);
  }

  document(): Generated {
    const random = this.#random;
    const isClassification = random.chance(0.5);
    const isOrdinal = random.chance(0.2);
    const optype = isOrdinal ? 'ordinal' : 'categorical';
    const target = isClassification
      ? `<DataField name="y" optype="${optype}" dataType="string">${classes.map((name) => `<Value value="${name}"/>`).join('')}</DataField>`
      : '<DataField name="y" optype="continuous" dataType="double"/>';
    const inputs = [this.#number('a', 'double'), this.#number('b', 'float'), this.#number('n', 'integer')];
    const [c, d] = [this.#string('c', true), this.#string('d', false)];
    const flag = {
      data: '<DataField name="f" optype="categorical" dataType="boolean"/>',
      mining: '<MiningField name="f"/>',
    };
    const all = [...inputs, c, d, flag];
    this.#fields.push(
      { name: 'a', kind: 'number', canBeMissing: true },
      { name: 'b', kind: 'number', canBeMissing: true },
      { name: 'n', kind: 'number', canBeMissing: true },
      { name: 'c', kind: 'string', canBeMissing: true },
      { name: 'd', kind: 'string', canBeMissing: true },
      { name: 'f', kind: 'boolean', canBeMissing: false },
    );
    const transformations = `<TransformationDictionary>${random.list(0, 4, (index) => this.#derived(`t${index}`)).join('')}</TransformationDictionary>`;
    const own = `${schema(
      all.map(({ mining }) => mining),
      'y',
    )}`;
    const model = this.#model(isClassification, own, 2, isOrdinal);
    return {
      text: pmml([...all.map(({ data }) => data), target].join(''), model, transformations),
      rows: Array.from({ length: 12 }, () => this.#row()),
      isClassification,
    };
  }

  #row(): Record<string, unknown> {
    const random = this.#random;
    const number = () =>
      random.chance(0.2) ? Number.NaN : random.chance(0.7) ? random.pick(numbers) : random.next() * 6 - 3;
    const word = () => (random.chance(0.2) ? '' : random.chance(0.9) ? random.pick(words) : 'other');
    return {
      a: number(),
      b: number(),
      n: random.chance(0.2) ? Number.NaN : random.int(5) - 2,
      c: word(),
      d: word(),
      f: random.chance(0.5),
    };
  }

  #number(name: string, dataType: string) {
    const random = this.#random;
    const values = random.chance(0.1) ? '<Value value="3" property="missing"/>' : '';
    const invalid = random.chance(0.1) ? '<Value value="-2" property="invalid"/>' : '';
    const interval = random.chance(0.2)
      ? `<Interval closure="${this.#closure()}" leftMargin="-2" rightMargin="2"/>${random.chance(0.5) ? '<Interval closure="openClosed" leftMargin="2.5"/>' : ''}`
      : '';
    const optype = dataType === 'integer' && random.chance(0.5) ? 'categorical' : 'continuous';
    const listed =
      optype === 'categorical' && random.chance(0.5)
        ? [-2, -1, 0, 1, 2].map((x) => `<Value value="${x}"/>`).join('')
        : '';
    const content = optype === 'categorical' ? `${listed}${values}` : `${interval}${values}${invalid}`;
    return {
      data: `<DataField name="${name}" optype="${optype}" dataType="${dataType}">${content}</DataField>`,
      mining: `<MiningField name="${name}"${this.#treatment(true)}/>`,
    };
  }

  #string(name: string, isListed: boolean) {
    const values = isListed ? ['red', 'green', 'dark blue'].map((word) => `<Value value="${word}"/>`).join('') : '';
    const extra = this.#random.chance(0.2)
      ? '<Value value="x" property="missing"/>'
      : this.#random.chance(0.2)
        ? '<Value value="x" property="invalid"/>'
        : '';
    return {
      data: `<DataField name="${name}" optype="categorical" dataType="string">${values}${extra}</DataField>`,
      mining: `<MiningField name="${name}"${this.#treatment(false)}/>`,
    };
  }

  #treatment(isNumber: boolean): string {
    const random = this.#random;
    const value = isNumber ? '0.5' : 'green';
    const parts = [
      random.pick([
        '',
        ' invalidValueTreatment="asMissing"',
        ' invalidValueTreatment="asIs"',
        ` invalidValueTreatment="asValue" invalidValueReplacement="${value}"`,
      ]),
      random.chance(0.3)
        ? ` missingValueReplacement="${isNumber ? 1 : 'red'}"`
        : random.chance(0.1)
          ? ' missingValueTreatment="returnInvalid"'
          : '',
      isNumber && random.chance(0.3)
        ? ` outliers="${random.pick(['asMissingValues', 'asExtremeValues'])}" lowValue="-1" highValue="1.5"`
        : '',
    ];
    return parts.join('');
  }

  #closure(): string {
    return this.#random.pick(['openOpen', 'openClosed', 'closedOpen', 'closedClosed']);
  }

  #field(kind: Kind): string {
    return this.#random.pick(this.#fields.filter((field) => field.kind === kind)).name;
  }

  #derived(name: string): string {
    const random = this.#random;
    const isText = random.chance(0.3);
    const content = isText ? this.#textExpression() : this.#expression(2);
    this.#fields.push({ name, kind: isText ? 'string' : 'number', canBeMissing: true });
    const dataType = isText ? 'string' : random.pick(['double', 'double', 'float']);
    return `<DerivedField name="${name}" optype="${isText ? 'categorical' : 'continuous'}" dataType="${dataType}">${content}</DerivedField>`;
  }

  #textExpression(): string {
    const random = this.#random;
    const missing = random.chance(0.5) ? ' mapMissingTo="none"' : '';
    const other = random.chance(0.5) ? ' defaultValue="other one"' : '';
    if (random.chance(0.5)) {
      const bins = random.list(1, 4, () => {
        const low = random.pick(numbers);
        return `<DiscretizeBin binValue="${random.pick(['low', 'high', 'red'])}"><Interval closure="${this.#closure()}" leftMargin="${low}" rightMargin="${low + random.int(3)}"/></DiscretizeBin>`;
      });
      return `<Discretize field="${this.#field('number')}"${missing}${other}>${bins.join('')}</Discretize>`;
    }
    const isPair = random.chance(0.5);
    const first = this.#field('string');
    const second = isPair ? `<FieldColumnPair field="${this.#field('number')}" column="k"/>` : '';
    const rows = random.list(
      1,
      5,
      () =>
        `<row><w>${random.pick(words)}</w><k>${random.pick(numbers)}</k><r>${random.pick(['low', 'high', 'red'])}</r></row>`,
    );
    return `<MapValues outputColumn="r"${missing}${other}><FieldColumnPair field="${first}" column="w"/>${second}<InlineTable>${rows.join('')}</InlineTable></MapValues>`;
  }

  /** Writes an expression with a numeric result. */
  #expression(depth: number): string {
    const random = this.#random;
    const choice = depth === 0 ? random.int(2) : random.int(8);
    switch (choice) {
      case 0:
        return `<Constant dataType="double">${random.pick(numbers)}</Constant>`;
      case 1:
        return `<FieldRef field="${this.#field('number')}"${random.chance(0.2) ? ' mapMissingTo="2"' : ''}/>`;
      case 2:
        return `<NormDiscrete field="${this.#field('string')}" value="${random.pick(words)}"${random.chance(0.3) ? ' mapMissingTo="0.25"' : ''}/>`;
      case 3: {
        const points = random.list(2, 5, (index) => `<LinearNorm orig="${index - 2}" norm="${random.pick(numbers)}"/>`);
        const outliers = random.pick(['', ' outliers="asMissingValues"', ' outliers="asExtremeValues"']);
        return `<NormContinuous field="${this.#field('number')}"${outliers}${random.chance(0.3) ? ' mapMissingTo="7"' : ''}>${points.join('')}</NormContinuous>`;
      }
      case 4:
        return `<Apply function="if">${this.#condition(depth - 1)}${this.#expression(depth - 1)}${random.chance(0.8) ? this.#expression(depth - 1) : ''}</Apply>`;
      case 5:
        return `<Apply function="${random.pick(['min', 'max', 'sum', 'product', 'avg'])}">${random.list(1, 3, () => this.#expression(depth - 1)).join('')}</Apply>`;
      case 6:
        return `<Apply function="${random.pick(['abs', 'floor', 'ceil', 'round', 'exp', 'sqrt'])}">${`<Apply function="abs">${this.#expression(depth - 1)}</Apply>`}</Apply>`;
      default: {
        const options = random.pick(['', '', ' mapMissingTo="3"', ' defaultValue="4"']);
        return `<Apply function="${random.pick(['+', '-', '*', 'threshold'])}"${options}>${this.#expression(depth - 1)}${this.#expression(depth - 1)}</Apply>`;
      }
    }
  }

  /** Writes an expression with a boolean result. */
  #condition(depth: number): string {
    const random = this.#random;
    switch (depth <= 0 ? random.int(3) : random.int(6)) {
      case 0:
        return `<Apply function="${random.pick(['isMissing', 'isNotMissing'])}"><FieldRef field="${this.#field('number')}"/></Apply>`;
      case 1:
        return `<Apply function="${random.pick(['lessThan', 'lessOrEqual', 'greaterThan', 'greaterOrEqual', 'equal', 'notEqual'])}">${this.#expression(0)}<Constant dataType="double">${random.pick(numbers)}</Constant></Apply>`;
      case 2:
        return `<Apply function="${random.pick(['isIn', 'isNotIn'])}"><FieldRef field="${this.#field('string')}"/>${random.list(1, 3, () => `<Constant dataType="string">${random.pick(words)}</Constant>`).join('')}</Apply>`;
      case 3:
        return `<Apply function="not">${this.#condition(depth - 1)}</Apply>`;
      default:
        return `<Apply function="${random.pick(['and', 'or'])}">${random.list(2, 3, () => this.#condition(depth - 1)).join('')}</Apply>`;
    }
  }

  #predicate(depth: number): string {
    const random = this.#random;
    switch (depth === 0 ? random.int(5) : random.int(7)) {
      case 0:
        return `<SimplePredicate field="${this.#field(random.pick(['number', 'string']))}" operator="${random.pick(['isMissing', 'isNotMissing'])}"/>`;
      case 1:
        return `<SimplePredicate field="${this.#field('string')}" operator="${random.pick(['equal', 'notEqual'])}" value="${random.pick([...words, 'low', 'high'])}"/>`;
      case 2:
        return `<SimpleSetPredicate field="${this.#field('string')}" booleanOperator="${random.pick(['isIn', 'isNotIn'])}"><Array type="string">red "dark blue" low</Array></SimpleSetPredicate>`;
      case 3:
        return random.chance(0.2)
          ? `<SimplePredicate field="f" operator="equal" value="${random.chance(0.5)}"/>`
          : `<SimpleSetPredicate field="${this.#field('number')}" booleanOperator="${random.pick(['isIn', 'isNotIn'])}"><Array type="real">${random.list(1, 4, () => random.pick(numbers)).join(' ')}</Array></SimpleSetPredicate>`;
      case 4:
        return this.#comparison(
          this.#field('number'),
          random.pick(['lessThan', 'lessOrEqual', 'greaterThan', 'greaterOrEqual', 'equal', 'notEqual']),
          random.pick(numbers),
        );
      default:
        return `<CompoundPredicate booleanOperator="${random.pick(['and', 'or', 'xor', 'surrogate'])}">${random.list(2, 3, () => this.#predicate(depth - 1)).join('')}</CompoundPredicate>`;
    }
  }

  #comparison(field: string, operator: string, value: number): string {
    return `<SimplePredicate field="${field}" operator="${operator}" value="${value}"/>`;
  }

  #model(isClassification: boolean, own: string, depth: number, isOrdinal: boolean): string {
    const random = this.#random;
    const kinds = [
      'tree',
      'tree',
      'regression',
      ...(isClassification ? [] : ['scorecard']),
      ...(depth > 0 ? ['mining', 'mining'] : []),
    ];
    const local = random.chance(0.3)
      ? `<LocalTransformations>${this.#derived(`l${depth}${random.int(1000)}`)}</LocalTransformations>`
      : '';
    const targets = !isClassification && random.chance(0.2) ? this.#targets() : '';
    const count = this.#fields.length;
    const model = this.#kind(random.pick(kinds), isClassification, `${own}${targets}${local}`, depth, isOrdinal);
    // Derived fields inside this model are not visible outside.
    if (local !== '')
      this.#fields.splice(
        this.#fields.findIndex(({ name }) => local.includes(`name="${name}"`)),
        1,
      );
    return count >= 0 ? model : '';
  }

  #targets(): string {
    const random = this.#random;
    const parts = [
      random.pick(['', ' castInteger="round"', ' castInteger="floor"', ' castInteger="ceiling"']),
      random.pick(['', ' min="-1"', ' min="-1" max="1.2"']),
      random.pick(['', ' rescaleFactor="2.5"', ' rescaleConstant="0.25"']),
    ];
    return `<Targets><Target field="y"${parts.join('')}>${random.chance(0.3) ? '<TargetValue defaultValue="0.5"/>' : ''}</Target></Targets>`;
  }

  #kind(kind: string, isClassification: boolean, head: string, depth: number, isOrdinal: boolean): string {
    const random = this.#random;
    const functionName = `functionName="${isClassification ? 'classification' : 'regression'}"`;
    switch (kind) {
      case 'tree': {
        const strategy = random.pick(['none', 'lastPrediction', 'nullPrediction', 'defaultChild']);
        const options = ` missingValueStrategy="${strategy}" noTrueChildStrategy="${random.pick(['returnNullPrediction', 'returnLastPrediction'])}"`;
        return `<TreeModel ${functionName}${options}>${head}${this.#node(isClassification, 3, '<True/>', strategy === 'defaultChild', '0')}</TreeModel>`;
      }
      case 'regression':
        return this.#regression(functionName, isClassification, head, isOrdinal);
      case 'scorecard':
        return this.#scorecard(head);
      default:
        return this.#mining(functionName, isClassification, head, depth, isOrdinal);
    }
  }

  #node(isClassification: boolean, depth: number, predicate: string, hasDefault: boolean, id: string): string {
    const random = this.#random;
    const isLeaf = depth === 0 || random.chance(0.25);
    const distribution =
      isClassification && random.chance(0.6)
        ? classes.map((name) => `<ScoreDistribution value="${name}" recordCount="${1 + random.int(9)}"/>`).join('')
        : '';
    const isScored = isLeaf || hasDefault || random.chance(0.8);
    const score = isClassification ? random.pick(classes) : random.pick(numbers);
    const hasScore = isScored && (distribution === '' || random.chance(0.5));
    const children = isLeaf ? [] : this.#children(isClassification, depth, hasDefault, id);
    const defaultChild =
      hasDefault && children.length > 0 ? ` defaultChild="${id}.${random.int(children.length)}"` : '';
    return `<Node id="${id}"${hasScore ? ` score="${score}"` : ''}${defaultChild}>${predicate}${distribution}${children.join('')}</Node>`;
  }

  #children(isClassification: boolean, depth: number, hasDefault: boolean, id: string): string[] {
    const random = this.#random;
    if (random.chance(0.5)) {
      const [field, value] = [this.#field('number'), random.pick(numbers)];
      const operators = random.pick([
        ['lessThan', 'greaterOrEqual'],
        ['lessOrEqual', 'greaterThan'],
        ['equal', 'notEqual'],
      ]);
      return operators.map((operator, index) =>
        this.#node(isClassification, depth - 1, this.#comparison(field, operator, value), hasDefault, `${id}.${index}`),
      );
    }
    return random.list(1, 3, (index) => {
      const predicate = random.chance(0.15) ? '<True/>' : this.#predicate(2);
      return this.#node(isClassification, depth - 1, predicate, hasDefault, `${id}.${index}`);
    });
  }

  #regression(functionName: string, isClassification: boolean, head: string, isOrdinal: boolean): string {
    const random = this.#random;
    const links = ['logit', 'probit', 'cloglog', 'loglog', 'cauchit'];
    const method = !isClassification
      ? random.pick(['none', 'softmax', 'exp', ...links])
      : isOrdinal
        ? random.pick(['none', ...links])
        : random.pick(['none', 'softmax', 'simplemax']);
    const fields = random.list(1, 3, () => this.#field('number'));
    const table = (category: string) => {
      const terms = [
        ...fields.map(
          (field) =>
            `<NumericPredictor name="${field}" coefficient="${random.pick(numbers)}"${random.chance(0.2) ? ' exponent="2"' : ''}/>`,
        ),
        ...random.list(
          0,
          3,
          () =>
            `<CategoricalPredictor name="${random.pick(['c', 'd'])}" value="${random.pick(words)}" coefficient="${random.pick(numbers)}"/>`,
        ),
        ...random.list(
          0,
          1,
          () =>
            `<PredictorTerm coefficient="0.3"><FieldRef field="${this.#field('number')}"/><FieldRef field="${this.#field('number')}"/></PredictorTerm>`,
        ),
      ];
      return `<RegressionTable intercept="${random.pick(numbers)}"${category}>${terms.join('')}</RegressionTable>`;
    };
    const order = random.chance(0.5) && !isOrdinal ? [...classes].reverse() : classes;
    const tables = isClassification ? order.map((name) => table(` targetCategory="${name}"`)) : [table('')];
    return `<RegressionModel ${functionName} normalizationMethod="${method}">${head}${tables.join('')}</RegressionModel>`;
  }

  #scorecard(head: string): string {
    const random = this.#random;
    const characteristics = random.list(1, 4, (index) => {
      const attributes = random.list(1, 3, (place) => {
        const score = random.chance(0.2) ? '' : ` partialScore="${random.pick(numbers)}"`;
        const complex = score === '' ? `<ComplexPartialScore>${this.#expression(1)}</ComplexPartialScore>` : '';
        return `<Attribute reasonCode="R${index}${place}"${score}>${this.#predicate(1)}${complex}</Attribute>`;
      });
      const rest = random.chance(0.7) ? '<Attribute partialScore="0.5"><True/></Attribute>' : '';
      return `<Characteristic name="k${index}" reasonCode="R${index}" baselineScore="${random.pick(numbers)}">${attributes.join('')}${rest}</Characteristic>`;
    });
    const [schemaEnd, rest] = [head.indexOf('</MiningSchema>') + '</MiningSchema>'.length, ''];
    const output = '<Output><OutputField name="reason1" feature="reasonCode" rank="1"/></Output>';
    return `<Scorecard functionName="regression" initialScore="${random.pick(numbers)}" reasonCodeAlgorithm="${random.pick(['pointsAbove', 'pointsBelow'])}">${head.slice(0, schemaEnd)}${output}${head.slice(schemaEnd)}${rest}<Characteristics>${characteristics.join('')}</Characteristics></Scorecard>`;
  }

  #mining(functionName: string, isClassification: boolean, head: string, depth: number, isOrdinal: boolean): string {
    const random = this.#random;
    const methods = isClassification
      ? ['average', 'weightedAverage', 'majorityVote', 'weightedMajorityVote', 'selectFirst', 'modelChain']
      : ['sum', 'average', 'weightedAverage', 'max', 'selectFirst', 'modelChain'];
    const method = random.pick(methods);
    if (method === 'modelChain') return this.#chain(functionName, isClassification, head, depth, isOrdinal);
    const treatment =
      method === 'selectFirst'
        ? ''
        : random.pick([
            '',
            '',
            ' missingPredictionTreatment="skipSegment"',
            ' missingPredictionTreatment="returnMissing"',
          ]);
    const onlyTrees = random.chance(0.6);
    const segments = random.list(1, 4, () => {
      const predicate = random.chance(0.6) ? '<True/>' : this.#predicate(1);
      const inner = schema(
        ['a', `<MiningField name="b"${random.chance(0.2) ? ' missingValueReplacement="1"' : ''}/>`, 'n', 'c', 'd'],
        'y',
      );
      const model = onlyTrees
        ? this.#kind('tree', isClassification, inner, 0, isOrdinal)
        : this.#model(isClassification, inner, depth - 1, isOrdinal);
      return `<Segment weight="${random.pick([0.5, 1, 2])}">${predicate}${model}</Segment>`;
    });
    return `<MiningModel ${functionName}>${head}<Segmentation multipleModelMethod="${method}"${treatment}>${segments.join('')}</Segmentation></MiningModel>`;
  }

  #chain(functionName: string, isClassification: boolean, head: string, depth: number, isOrdinal: boolean): string {
    const random = this.#random;
    const inner = schema(['a', 'b', 'n', 'c', 'd'], 'y');
    const first = this.#kind(
      'tree',
      false,
      `${schema(['a', 'b', 'n', 'c', 'd'])}<Output><OutputField name="stage${depth}" feature="predictedValue" dataType="double" optype="continuous"/></Output>`,
      0,
      false,
    );
    const field: Field = { name: `stage${depth}`, kind: 'number', canBeMissing: true };
    this.#fields.push(field);
    const last = this.#model(
      isClassification,
      inner.replace('<MiningField name="a"/>', `<MiningField name="a"/><MiningField name="${field.name}"/>`),
      0,
      isOrdinal,
    );
    const predicate = isClassification || random.chance(0.5) ? '<True/>' : this.#predicate(1);
    this.#fields.splice(this.#fields.indexOf(field), 1);
    return `<MiningModel ${functionName}>${head}<Segmentation multipleModelMethod="modelChain"><Segment><True/>${first}</Segment><Segment>${predicate}${last}</Segment></Segmentation></MiningModel>`;
  }
}
