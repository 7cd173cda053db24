import { readFileSync } from 'node:fs';
import { createFlour, createRuntime, explain, importOnnx } from 'brezel';

// 1. Import: the ONNX file becomes a Flour program. Its dictionaries and weights are stored in the
// object store.
const flour = await createFlour();
const model = importOnnx(readFileSync(new URL('../../models/sa-fam-a-00.onnx', import.meta.url)), flour);
console.log(`${model.producer}, ${Object.keys(model.operators).length} kinds of operators\n`);

// 2. Explain: three stages remain. Other models of the family share the two featurizers.
console.log(`${explain(model.program)}\n`);

// 3. Predict: you pass one row, and the answer has a field for each output of the model.
const runtime = createRuntime({ store: flour.store });
const compiled = model.program.plan();
const plan = runtime.register(compiled);
const text = 'The battery lasts for days, I am very happy with it.';
console.log(text, runtime.predictSync(plan, { text }));

// 4. If you predict often, pass an array for the numbers of all outputs: then no memory is
// allocated.
const out = new Float64Array(plan.width);
runtime.predictSync(plan, text, out);
for (const { name, offset, length } of plan.outputs)
  console.log(
    `${name.padEnd(13)} out[${offset}..${offset + length - 1}]  ${[...out.subarray(offset, offset + length)]}`,
  );

await runtime.close();
compiled.release();
flour.dispose();
