// One trial of `start`: a process from its start to its first answer. Arguments: engine (none,
// brezel, brezel-whole, brezel-published or onnxruntime), kind, file, entry point of the published
// package. Imports are part of the measured time, so this
// script imports no helper.

const entered = performance.now();
const [engine, kind, file, entry] = process.argv.slice(2);
const row = kind === 'sa' ? 'Not a bad film at all; the second half, though, is a bore.' : { x: new Float32Array(40) };

/**
 * For each part of the script, the time of its end in ms since the script began.
 *
 * @type {Record<string, number>}
 */
const marks = {};
const done = (/** @type {string} */ step) => Object.assign(marks, { [step]: performance.now() - entered });

/**
 * Opens the fleet file, registers its first plan and answers one row. Records the time of each
 * part.
 *
 * @param {Pick<typeof import('brezel'), 'createRuntime' | 'openFleet'>} library
 */
async function brezel({ createRuntime, openFleet }) {
  done('imported');
  const fleet = await openFleet(file, { verify: false });
  done('opened');
  const runtime = createRuntime({ store: fleet.store });
  const compiled = fleet.plan(/** @type {string} */ (fleet.names[0]));
  const plan = runtime.register(compiled);
  done('registered');
  runtime.predictSync(plan, row);
  done('answered');
  fleet.close();
}

async function onnxruntime() {
  const { default: ort } = await import('onnxruntime-node');
  const options = { intraOpNumThreads: 1, interOpNumThreads: 1, logSeverityLevel: /** @type {const} */ (3) };
  const session = await ort.InferenceSession.create(file, options);
  /** @type {Record<string, import('onnxruntime-node').Tensor>} */
  const feed =
    typeof row === 'string'
      ? { text: new ort.Tensor('string', [row], [1]) }
      : { x: new ort.Tensor('float32', row.x, [1, 40]) };
  await session.run(feed);
}

if (engine === 'brezel') await brezel(await import('brezel/serve'));
if (engine === 'brezel-whole') await brezel(await import('brezel'));
if (engine === 'brezel-published') await brezel(await import(entry));
if (engine === 'onnxruntime') await onnxruntime();
// The process frees nothing before it exits.
process.send?.({ insideMs: performance.now() - entered, marks }, () => process.exit(0));
