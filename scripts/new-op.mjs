// npm run new:op NAME [--kernel]: writes the folder of a working operator with passing cases, and
// the row of its kernel in native/README.md. You then change these files into your operator.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { filled, main, root, spellings } from './skeleton.mjs';

main((args) => {
  const names = args.filter((arg) => arg !== '--kernel');
  const hasKernel = args.includes('--kernel');
  if (names.length > 1) throw new Error(`expected npm run new:op NAME [-- --kernel]; received ${args.join(' ')}`);
  const words = spellings(names[0]);
  const name = words.KEBAB;
  const source = join(root, 'packages/flour/src');
  for (const place of [`ops/${name}`, `compositions/${name}`, `compositions/${name}.ts`])
    if (existsSync(join(source, place))) throw new Error(`packages/flour/src/${place} exists; choose another name`);
  const flows = readFileSync(join(source, 'generated/ops.ts'), 'utf8');
  if (new RegExp(`/${name}(?:/index)?\\.js'`).test(flows)) throw new Error(`operator ${name} exists`);

  const numbers = readFileSync(join(root, 'native/include/attributes.hpp'), 'utf8');
  const functions = /enum class MapFunction [^}]*/.exec(numbers)[0];
  if (new RegExp(`\\b${words.SNAKE} = `).test(functions))
    throw new Error(
      `${name} is a function of the operator map: flow.map('${words.CAMEL}'). Choose another name for an operator`,
    );

  // biome-ignore format: a table
  const kernel = { DOC_KERNELS: `\n    kernels: ['${words.SNAKE}'],`, JAVASCRIPT: '', KERNEL: `\n  kernel: () => ({ kernel: '${words.SNAKE}' }),`, ENGINE: `, { engine: 'native' }` };
  const javascript = { DOC_KERNELS: '', JAVASCRIPT: ', javascript: true', KERNEL: '', ENGINE: '' };
  const files = ['index.ts', 'reference.ts', 'cases.ts', ...(hasKernel ? ['kernel.hpp'] : [])];
  const folder = join(source, 'ops', name);
  mkdirSync(folder);
  for (const file of files)
    writeFileSync(join(folder, file), filled(`op/${file}.txt`, { ...words, ...(hasKernel ? kernel : javascript) }));
  if (hasKernel) addKernelRow(words);
  execFileSync(process.execPath, [fileURLToPath(new URL('./gen-op-list.mjs', import.meta.url))], {
    env: { ...process.env, BREZEL_ROOT: root },
  });
  console.log(steps(words, hasKernel, files));
});

/** Adds a row at the end of the table of kernels in native/README.md. */
function addKernelRow(words) {
  const page = join(root, 'native/README.md');
  const lines = readFileSync(page, 'utf8').split('\n');
  const section = lines.indexOf('## 4. Kernels');
  const table = lines.findIndex((line, index) => index > section && line.startsWith('|'));
  const end = lines.findIndex((line, index) => index > table && !line.startsWith('|'));
  if (section < 0 || end < 0) throw new Error('native/README.md has no table in section "## 4. Kernels"');
  lines.splice(end, 0, filled('op/row.txt', words).trimEnd());
  writeFileSync(page, lines.join('\n'));
}

function steps({ KEBAB, CAMEL, SNAKE }, hasKernel, files) {
  const test = `${hasKernel ? 'npm run build' : 'npm run build:ts'} && npm run test:for packages/flour/src/ops/${KEBAB}`;
  const lines = [
    `Wrote packages/flour/src/ops/${KEBAB}: ${files.join(', ')}.`,
    `The operator doubles each number, and its cases pass. Call it with flow.${CAMEL}().`,
    'If your operator applies one function to each number, do not keep the folder: CONTRIBUTING.md, section "A new element-wise function", says how to add the function to `map`.',
    'Next steps:',
    '',
    `1. Write your first case in cases.ts. Run ${test}: the case fails.`,
    '2. Write the slow definition in reference.ts. Change the types, attributes, parameters, `doc` and docstring in index.ts.',
    ...(hasKernel
      ? [
          `3. Write the kernel in kernel.hpp. Run npm run build:ts && npm run test:kernel ${KEBAB}. Change the row of \`${SNAKE}\` in native/README.md, section 4.`,
        ]
      : ['3. To add a kernel later, write kernel.hpp, add `kernel` to index.ts, and remove `javascript: true`.']),
    `4. Run ${test}`,
    '5. Add a line to CHANGELOG.md, under Unreleased.',
    '6. Run npm run docs, npm run format, and then npm run check.',
    '',
    `To undo: delete the folder${hasKernel ? ' and the row' : ''}, and run node scripts/gen-op-list.mjs.`,
  ];
  return lines.join('\n');
}
