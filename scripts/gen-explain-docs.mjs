// Writes the outputs in docs/explain.md and the pictures in docs/pictures from example models. The
// pictures show plans, and the explanation of an answer. `--check` only compares. It needs a build.
// Measured times differ at each run, so they are stored in docs/pictures. They are measured again
// with `--measure`, or if Oven now builds other stages.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createFlour, createRuntime, drawContributions, drawPlans, explain, importOnnx, measurePlan } from 'brezel';

const MEMBERS = [0, 1, 2, 3];
const check = process.argv.includes('--check');
const docs = new URL('../docs/', import.meta.url);
const page = new URL('explain.md', docs);
const measurementsFile = new URL('pictures/measurements.json', docs);

const flour = await createFlour();
const fleet = MEMBERS.map((member) => {
  const file = new URL(`../examples/models/sa-fam-a-0${member}.onnx`, import.meta.url);
  return importOnnx(readFileSync(file), flour).program;
});
const measurements = await storedMeasurements();
const [model] = fleet;
const measured = { measurements };

const outputs = {
  text: explain(model),
  verbose: withoutTimes(
    /^rule push-linear[\s\S]*?(?=\n\nrule remove-empty)/m.exec(explain(model, { verbose: true }))[0],
  ),
  analyze: section(explain(model, measured), /^measured: /m),
  fleet: explain(fleet).split('\n\n\n')[0],
  'fleet-stage': explain(fleet).split('\n\n\n')[2].split('\n\n').slice(1, 2).join('\n\n'),
  json: JSON.stringify(shortStage(JSON.parse(explain(model, { format: 'json', ...measured })).stages[2]), null, 2),
  dot: explain(model, { format: 'dot' }).split('\n').slice(-8).join('\n'),
};
const pictures = {
  'pictures/fleet.svg': await drawPlans(fleet, measured),
  'pictures/model.svg': await drawPlans(model, measured),
  'pictures/why.svg': await explanation(),
};

const before = readFileSync(page, 'utf8');
const used = new Set();
const after = before.replace(/(<!-- output:([\w-]+) -->\n```\w*\n)[\s\S]*?(\n```\n)/g, (_, start, name, end) => {
  if (!(name in outputs)) throw new Error(`docs/explain.md asks for an output "${name}" that there is not`);
  used.add(name);
  return `${start}${outputs[name].trimEnd()}${end}`;
});
for (const name of Object.keys(outputs))
  if (!used.has(name)) throw new Error(`docs/explain.md has no place for the output "${name}"`);

const stale = [
  [page, after],
  ...Object.entries(pictures).map(([name, svg]) => [new URL(name, docs), `${svg}\n`]),
].filter(([file, text]) => !existsSync(file) || readFileSync(file, 'utf8') !== text);
if (check && stale.length > 0) {
  const names = stale.map(([file]) => file.pathname.split('/').slice(-2).join('/'));
  console.error(`${names.join(', ')} not in step with EXPLAIN: npm run docs`);
  process.exit(1);
}
for (const [file, text] of stale) writeFileSync(file, text);

/**
 * Returns the stored measurements if they belong to the stages that Oven builds now. Otherwise
 * measures the plans and stores the measurements.
 */
async function storedMeasurements() {
  if (!process.argv.includes('--measure') && existsSync(measurementsFile)) {
    const kept = JSON.parse(readFileSync(measurementsFile, 'utf8'));
    try {
      explain(fleet, { measurements: kept });
      return kept;
    } catch (error) {
      if (error.code !== 'ERR_OVEN_MEASUREMENT') throw error;
      if (check) {
        console.error('docs/pictures/measurements.json is of other stages than Oven makes: npm run docs');
        process.exit(1);
      }
    }
  }
  const opinions = ['a charming little film', 'not so good, but cheap', 'what a bore: I left after an hour'];
  const rows = Array.from({ length: 300 }, (_, row) => ({ text: `${opinions[row % 3]} (${row})` }));
  const made = [];
  for (const program of fleet) made.push(await measurePlan(program, rows));
  writeFileSync(measurementsFile, `${JSON.stringify(made, null, 2)}\n`);
  return made;
}

/** Draws why the first model predicts its class for a text. */
async function explanation() {
  const row = { text: 'The film was not good, but the music is wonderful and the actors are great.' };
  const runtime = createRuntime({ store: flour.store });
  const why = runtime.contributions(runtime.register(model.plan()), row, { class: 1, top: 8 });
  await runtime.close();
  return drawContributions(why, { row });
}

/** Removes Oven's times from a text, because they differ from run to run. */
function withoutTimes(text) {
  return text.replaceAll(/, \d+ µs\)/g, ', ... µs)');
}

/** Returns the lines from the first one that starts with `start` to the next empty line. */
function section(text, start) {
  return text.slice(text.search(start)).split('\n\n')[0];
}

/**
 * Returns a stage as JSON with one operator and one parameter, which is enough to show the
 * structure.
 */
function shortStage({ steps, parameters, ...stage }) {
  return { ...stage, steps: steps.slice(0, 1), parameters: parameters.slice(0, 1) };
}
