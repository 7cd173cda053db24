// before.ts and after.ts differ in one line: the module of the import.
import { fileURLToPath } from 'node:url';
import { classify } from './after.js';

const model = fileURLToPath(new URL('../../from-onnxruntime/flowers.onnx', import.meta.url));
const flowers = [
  [5.1, 3.5, 1.4, 0.2],
  [6.7, 3.1, 4.4, 1.4],
  [6.3, 3.3, 6, 2.5],
];
const print = (module: string, answers: Awaited<ReturnType<typeof classify>>) => {
  const texts = answers.map(({ label, probability }) => `${label} (${probability.toFixed(4)})`);
  console.log(`${module.padEnd(26)}${texts.join('  ')}`);
};

print('brezel/inference-session', await classify(model, flowers));
try {
  const { classify } = await import('./before.js');
  print('onnxruntime-node', await classify(model, flowers));
} catch (error) {
  console.log(`onnxruntime-node is left out: ${(error as Error).message}`);
}
