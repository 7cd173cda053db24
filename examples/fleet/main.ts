import { openBrezel } from './brezel-fleet.js';
import { type Fleet, readModels } from './fleet.js';
import { type LoadedFleet, load } from './load.js';
import { loadLibrary, openOnnxRuntime, withPlainLocale } from './onnxruntime-fleet.js';
import { megabytes, milliseconds, title } from './print.js';
import { race } from './race.js';
import { printAgreement, printCosts, printScores, printSharing } from './story.js';
import { textsToScore } from './texts.js';

// A fleet of sentiment models, from ONNX files to microseconds.

const texts = await textsToScore(process.argv.slice(2));
const files = readModels();

const brezel = await load(await openBrezel(), files);
const { runtime } = brezel.fleet;
title(`Brezel: a fleet of ${files.length} sentiment models`);
const fileBytes = files.reduce((sum, file) => sum + file.bytes.length, 0);
const loadMs = milliseconds(brezel.first.ms + brezel.others.ms);
console.log(`   ${files.length} ONNX files, ${megabytes(fileBytes)}: imported, planned and registered in ${loadMs}.`);
console.log(`   Kernels: ${runtime.isa ? `native, ${runtime.isa}` : 'JavaScript (the addon did not load)'}.`);

title('What they share');
printSharing(brezel.fleet);

const rival = await loadRival();
const fleets: LoadedFleet<Fleet>[] = 'reason' in rival ? [brezel] : [brezel, rival];
const scores = await race(
  fleets.map(({ fleet }) => fleet),
  texts,
  files.length,
);

title('Predictions');
printScores(texts, scores[0]!);

title(fleets.length > 1 ? 'Time and memory, compared with onnxruntime-node in the same process' : 'Time and memory');
printCosts(['Brezel', 'onnxruntime-node'].slice(0, fleets.length), fleets, scores);
if ('reason' in rival) console.log(`\n   onnxruntime-node is left out: ${rival.reason}`);
else printAgreement(scores[0]!, scores[1]!);

for (const { fleet } of fleets) await fleet.close();

/** Opens onnxruntime-node with the same models, or returns the reason why it cannot run here. */
async function loadRival(): Promise<LoadedFleet<Fleet> | { readonly reason: string }> {
  try {
    // loaded first, so that its size and start time do not count for the models
    const library = loadLibrary();
    const copies = files.map(withPlainLocale);
    return await load(openOnnxRuntime(library), copies);
  } catch (error) {
    return { reason: (error as Error).message.split('\n', 1)[0]! };
  }
}
