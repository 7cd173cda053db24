// Imports the files that the arguments name. Prints the code of each import, and the maximum memory
// of the process.
import { readFileSync } from 'node:fs';
import { createFlour, importModel } from 'brezel';

const flour = await createFlour();
const start = process.resourceUsage().maxRSS;
const outcomes = process.argv.slice(2).map((path) => {
  try {
    const bytes = readFileSync(path);
    flour.attempt(() => importModel(bytes, flour));
    return 'works';
  } catch (error) {
    return error.code ?? String(error);
  }
});
console.log(JSON.stringify({ outcomes, growthKilobytes: process.resourceUsage().maxRSS - start }));
