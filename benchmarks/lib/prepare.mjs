// Makes the files that experiments want, so that these only measure: both kinds of pipelines at once, each in a process of its own. Started by
// paper.mjs with the names of the experiments' parts. What is there already stays.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const units = process.argv.slice(2);
const both = ['fig13-heavy'];
const wants = {
  sa: [...both, 'fig10-materialization'],
  ac: [...both, 'fig14-http-heavy'],
};
const kinds = Object.entries(wants).filter(([kind, names]) =>
  units.some((unit) => unit.endsWith(`:${kind}`) || names.some((name) => unit.startsWith(name))),
);

/** @param {string} kind @returns {Promise<number | null>} */
const make = (kind) =>
  new Promise((resolve, reject) => {
    const script = fileURLToPath(new URL('prepare-kind.mjs', import.meta.url));
    const child = spawn(process.execPath, ['--expose-gc', script, kind], { stdio: 'inherit' });
    child.on('error', reject);
    child.on('exit', resolve);
  });

const codes = await Promise.all(kinds.map(([kind]) => make(kind)));
process.exitCode = codes.every((code) => code === 0) ? 0 : 1;
