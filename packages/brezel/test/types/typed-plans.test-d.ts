// The types of flows, from the fields of a row to the values of an answer: code that must compile,
// and code that must not. The code never runs. `types.test.ts` compiles it.
import type { StandardSchemaV1 } from '@standard-schema/spec';
import {
  type CompiledPlan,
  type FlourContext,
  type Flow,
  importOnnx,
  type PlanAnswer,
  type PlanRow,
  type RegisteredPlan,
  type Runtime,
  vector,
} from 'brezel';

/** Compiles only if both types are the same, in both directions. */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const same = <A, B>(..._: Same<A, B> extends true ? [] : ['the types differ']): void => undefined;

declare const flour: FlourContext;
declare const runtime: Runtime;
const columns = flour.columns({ text: 'string', city: 'string', age: 'float32', member: 'bool', id: 'int64' });
const words = columns.select('text').tokenize();
const scores = words.wordNgram({ vocabulary: [['good'], ['bad']] }).logistic({ weights: [1, -1] });

// One text: the row is an object, or the text alone.
const sentiment = runtime.register(scores.plan());
same<PlanRow<typeof sentiment>, string | { readonly text: string | Uint8Array }>();
same<PlanAnswer<typeof sentiment>, { readonly output: readonly number[] }>();
const { output } = runtime.predictSync(sentiment, 'a good film');
const probability: number | undefined = output[0];
runtime.predictSync(sentiment, { text: 'a good film' });
runtime.predictSync(sentiment, { text: new Uint8Array(3) });
const numbers: Float64Array = runtime.predictSync(sentiment, 'a good film', new Float64Array(1));
// @ts-expect-error the plan has no such input
runtime.predictSync(sentiment, { nope: 1 });
// @ts-expect-error the plan has no such input beside the text
runtime.predictSync(sentiment, { text: 'a good film', nope: 1 });
// @ts-expect-error a number is not a text
runtime.predictSync(sentiment, { text: 1 });
// @ts-expect-error the text is missing
runtime.predictSync(sentiment, {});
// @ts-expect-error the answer has no such output
runtime.predictSync(sentiment, 'a good film').sentimnt;
// @ts-expect-error the output is a list of numbers
runtime.predictSync(sentiment, 'a good film').output.toFixed();

// One vector: the row is an object, or the list alone.
const numeric = runtime.register(flour.input('x', vector('float32', 2)).impute({ values: 0 }).plan());
for (const list of [[1, 2], Float32Array.of(1, 2), Float64Array.of(1, 2), Int32Array.of(1, 2)])
  runtime.predictSync(numeric, list);
runtime.predictSync(numeric, { x: [1, 2] });
void runtime.predictBatch(numeric, [[1, 2], Float32Array.of(1, 2), { x: [1, 2] }]);
// @ts-expect-error a text is not a number
runtime.predictSync(numeric, ['a', 'b']);
// @ts-expect-error a number is not a list
runtime.predictSync(numeric, 1);
// @ts-expect-error the plan has no such input
runtime.predictSync(numeric, { y: [1, 2] });

// Several columns and inputs, and every verb.
const features = scores.concat(
  columns.select('city').oneHot({ categories: ['Bern', 'Rom'] }),
  columns.select('age').asVector(),
  flour.input('numbers', vector('float32', 4)).impute({ values: 0 }),
);
const churn = runtime.register(
  flour
    .program({
      label: features.softmax({ weights: [1], bias: [1, 2] }).classify(['stays', 'leaves']),
      probability: features.logistic({ weights: [1] }).asScalar(),
      named: features.softmax({ weights: [1], bias: [1, 2] }).zipMap(['stays', 'leaves']),
      isOld: columns.select('age').asVector().compare('greater', 60),
      id: columns.select('id').cast('int64'),
      words,
    })
    .plan(),
);
same<
  PlanAnswer<typeof churn>,
  {
    readonly label: 'stays' | 'leaves';
    readonly probability: number;
    readonly named: Readonly<Record<'stays' | 'leaves', number>>;
    readonly isOld: readonly boolean[];
    readonly id: number | bigint;
    readonly words: readonly string[];
  }
>();
const row = { text: 'slow', city: 'Rom', age: 61, id: 7n, numbers: new Float32Array(4) };
const answer = runtime.predictSync(churn, row);
if (answer.label === 'leaves') answer.named.stays.toFixed(2);
// @ts-expect-error there is no such label
if (answer.label === 'goes') answer.named.stays.toFixed(2);
// @ts-expect-error there is no such name
answer.named.goes;
// @ts-expect-error a row of several inputs is not a text
runtime.predictSync(churn, 'slow');
// @ts-expect-error a column is missing
runtime.predictSync(churn, { text: 'slow', city: 'Rom', age: 61, id: 7n });
const later: Promise<'stays' | 'leaves'> = runtime.predict(churn, row).then(({ label }) => label);
const many: Promise<readonly number[]> = runtime
  .predictBatch(churn, [row, row])
  .then((answers) => answers.map((one) => one.probability));
// @ts-expect-error a row of the batch has no such field
runtime.predictBatch(churn, [{ nope: 1 }]);
async function streamed() {
  for await (const { label } of runtime.predictStream(churn, [row])) label satisfies 'stays' | 'leaves';
  // @ts-expect-error a row of the stream has no such field
  runtime.predictStream(churn, [{ nope: 1 }]);
}
async function explained() {
  const { answer, contributions } = await runtime.predict(churn, row, { contributions: true });
  answer.label satisfies 'stays' | 'leaves';
  contributions.contributions[0]!.value.toFixed();
  const plain = await runtime.predict(churn, row, { contributions: false });
  plain.label satisfies 'stays' | 'leaves';
  // @ts-expect-error only a call with contributions has an explanation
  plain.contributions;
  const [first] = await runtime.predictBatch(churn, [row], { contributions: { top: 2 } });
  first!.answer.label satisfies 'stays' | 'leaves';
  const stream = runtime.predictStream(churn, [row], { contributions: true });
  for await (const one of stream) one.answer.label satisfies 'stays' | 'leaves';
  // @ts-expect-error there is no such option
  await runtime.predict(churn, row, { contributions: { topp: 2 } });
  // @ts-expect-error a column is missing
  await runtime.predict(churn, { text: 'slow' }, { contributions: true });
}
runtime.warm(churn, { rows: [row] });
// @ts-expect-error a row of the warm-up has no such field
runtime.warm(churn, { rows: [{ nope: 1 }] });

// Several plans: each has its answer.
const [first, second] = runtime.predictManySync([sentiment, churn], row);
first.output satisfies readonly number[];
second.label satisfies 'stays' | 'leaves';
// @ts-expect-error the second plan needs more columns
runtime.predictManySync([sentiment, churn], { text: 'slow' });

// Columns that no output reads are optional.
const unread = runtime.register(
  flour.program({ scores }, { inputs: [columns.select('text'), columns.select('member')] }).plan(),
);
runtime.predictSync(unread, { text: 'good' });
runtime.predictSync(unread, { text: 'good', member: true });
// @ts-expect-error an optional column has a type too
runtime.predictSync(unread, { text: 'good', member: 'yes' });

// The elements of vectors: numbers of any size, texts and dictionaries.
const readings = flour.dictionary('readings', { values: 'string' });
const elements = runtime.register(
  flour
    .program({
      sum: columns.select('id').asVector().cumulativeSum(),
      byte: columns.select('id').narrow('uint8'),
      large: columns.select('id').narrow('uint64'),
      parsed: columns.select('text').parseNumber({ to: 'int64' }),
      float: columns.select('text').parseNumber(),
      found: readings.lookupKeys(['a', 'b']),
      known: flour.dictionary('numbers').lookupKeys(['a']),
    })
    .plan(),
);
same<
  PlanAnswer<typeof elements>,
  {
    readonly sum: readonly (number | bigint)[];
    readonly byte: number;
    readonly large: number | bigint;
    readonly parsed: number | bigint;
    readonly float: number;
    readonly found: readonly string[];
    readonly known: readonly number[];
  }
>();
runtime.predictSync(elements, { id: 1, text: '2', readings: { a: 'x', b: 'y' }, numbers: new Map([['a', 1]]) });
// @ts-expect-error a dictionary of texts has no number
runtime.predictSync(elements, { id: 1, text: '2', readings: { a: 1 }, numbers: {} });

// CSV: the row is the line.
const line = runtime.register(flour.csv({ age: 'float32' }, { name: 'record' }).select('age').plan());
same<PlanRow<typeof line>, string | { readonly record: string | Uint8Array }>();

// Imported models have any row, until `typed` names their types.
interface ChurnRow {
  readonly age: number;
}
const { program } = importOnnx(new Uint8Array(), flour);
const untyped: RegisteredPlan = runtime.register(program.plan());
const person: ChurnRow = { age: 3 };
runtime.predictSync(untyped, person).anything;
const typed = runtime.register(program.typed<{ row: ChurnRow; answer: { score: number } }>().plan());
const score: number = runtime.predictSync(typed, person).score;
// @ts-expect-error the row has no such field
runtime.predictSync(typed, { agee: 3 });
// @ts-expect-error the answer has no such output
runtime.predictSync(typed, person).scor;

// Columns: one array for each input and output.
const ages = await runtime.predictColumns(typed, { age: Float32Array.of(3) });
ages.score satisfies Float64Array | Float32Array | Int32Array | BigInt64Array;
// @ts-expect-error the answer has no such output
ages.scor;
// @ts-expect-error an array of numbers is not a typed array
void runtime.predictColumns(typed, { age: [3] });
// @ts-expect-error the plan has no such input
void runtime.predictColumns(typed, { age: Float32Array.of(3), agee: Float32Array.of(3) });
const churned = await runtime.predictColumns(churn, {
  text: ['slow'],
  city: [Buffer.from('Rom')],
  age: Float32Array.of(61),
  id: BigInt64Array.of(7n),
  numbers: new Float64Array(4),
});
churned.label satisfies ('stays' | 'leaves')[];
churned.isOld satisfies Uint8Array;
void runtime.predictColumns(sentiment, ['a good film']);
void runtime.predictColumns(numeric, Float32Array.of(1, 2));
// @ts-expect-error texts are not numbers
void runtime.predictColumns(numeric, ['a']);
void runtime.predictColumns(untyped, { anything: ['a'], other: Float64Array.of(1) });
void runtime.predictColumns(untyped, ['a']);

// A registered plan is a Standard Schema of its rows.
same<StandardSchemaV1.InferInput<typeof churn>, PlanRow<typeof churn>>();
const schema: StandardSchemaV1<ChurnRow> = typed;

// Functions of users: with the types of any plan, of one plan, and of every plan.
const name = (plan: RegisteredPlan) => plan.name;
const names = [name(sentiment), name(churn), name(typed)];
const compiled: CompiledPlan = scores.plan();
const twice = <R, A>(plan: RegisteredPlan<R, A>, one: NoInfer<R>): A[] => [
  runtime.predictSync(plan, one),
  runtime.predictSync(plan, one),
];
const labels: ('stays' | 'leaves')[] = twice(churn, row).map(({ label }) => label);
// A flow of a helper without the types of rows makes the row of the program unknown.
const helper: Flow<'vector'> = scores;
const loose = runtime.register(helper.concat(scores).plan());
runtime.predictSync(loose, { anything: 1 }).output satisfies readonly number[];

export { compiled, explained, labels, later, many, names, numbers, probability, schema, score, streamed };
