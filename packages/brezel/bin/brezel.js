#!/usr/bin/env node
import { parseArgs } from 'node:util';

// The folder of the code cache is needed before the library is loaded. The command line checks all
// options.
const { values } = parseArgs({ options: { 'code-cache': { type: 'string' } }, strict: false });
if (typeof values['code-cache'] === 'string') process.env.BREZEL_CODE_CACHE = values['code-cache'];
const { main } = await import('@brezel/cli');

process.exitCode = await main(process.argv);
