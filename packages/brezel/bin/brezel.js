#!/usr/bin/env node
import { parseArgs } from 'node:util';

// Reads the folder of the code cache, because it must be set before the library is loaded. `strict`
// is false because the command line checks all options later.
const { values } = parseArgs({ options: { 'code-cache': { type: 'string' } }, strict: false });
if (typeof values['code-cache'] === 'string') process.env.BREZEL_CODE_CACHE = values['code-cache'];
const { main } = await import('@brezel/cli');

process.exitCode = await main(process.argv);
