import { createSelection, exp3, exp4, type SelectionPolicy } from '@brezel/selection';
import { createRegistry } from 'brezel';

interface Answer {
  readonly label: number;
}

// 1. Two models from files, and a rule in JavaScript.
const registry = await createRegistry();
const models = new URL('../../models/', import.meta.url);
registry.add('first', new URL('sa-fam-a-00.onnx', models));
registry.add('second', new URL('sa-fam-a-01.onnx', models));
const [first, second] = await Promise.all([registry.load('first'), registry.load('second')]);
console.log(`candidates: ${first.version}, ${second.version}, and a rule about the word "not"`);

// 2. In this program, the answer of the first model is the truth: the model is the best candidate
// while it works.
const SUBJECTS = ['film', 'plot', 'cast', 'music', 'ending', 'dialogue', 'camera', 'pace'];
const JUDGMENTS = ['charming', 'a waste of time', 'not good', 'not bad at all', 'wonderful', 'dull', 'slow', 'moving'];
const texts = SUBJECTS.flatMap((subject) => JUDGMENTS.map((judgment) => `the ${subject} was ${judgment}`));
const truthOf = (text: string): number => (registry.predictSync('first', { text }) as unknown as Answer).label;

let isBroken = false;
const candidates = {
  first: (text: string): Answer => ({ label: isBroken ? 1 - truthOf(text) : truthOf(text) }),
  second: (text: string) => registry.predictSync('second', { text }) as unknown as Answer,
  rule: (text: string): Answer => ({ label: text.includes('not') ? 0 : 1 }),
};

/**
 * Answers 3000 requests and reports to the policy whether each answer was right. The first model
 * gives wrong answers from request 1000 to 2000.
 */
async function run(name: string, policy: SelectionPolicy): Promise<void> {
  const app = createSelection({
    candidates,
    policy,
    loss: (truth: number, answer) => (truth === answer.label ? 0 : 1),
  });
  console.log(`\n${name}: the weight of each candidate, and the errors since the line before`);
  let errors = 0;
  for (let request = 1; request <= 3000; request++) {
    isBroken = request > 1000 && request <= 2000;
    const text = texts[(request * 37) % texts.length]!;
    const { query } = await app.predict(text);
    const { loss } = await app.feedback(query, truthOf(text));
    errors += loss;
    if (request % 250 !== 0) continue;
    const weights = Object.entries((await app.weights()) ?? {});
    const bars = weights.map(
      ([candidate, weight]) => `${candidate} ${'█'.repeat(Math.round(weight * 20)).padEnd(20, '·')}`,
    );
    const label = isBroken ? 'first fails' : '';
    console.log(`${String(request).padStart(5)}  ${bars.join('  ')}  ${String(errors).padStart(3)} errors  ${label}`);
    errors = 0;
  }
  const { loss, regret } = app.stats();
  console.log(`${name}: wrong in ${(loss * 100).toFixed(1)} % of the requests; regret ${regret.toFixed(0)}`);
}

// 3. Exp3 asks one candidate per request. Exp4 asks all, and combines their answers.
await run('exp3', exp3());
await run('exp4', exp4());
await registry.close();
