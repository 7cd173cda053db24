#!/usr/bin/env node
import module from 'node:module';

module.enableCompileCache?.(); // Node 22 keeps what it compiled for the next start
const { main } = await import('@brezel/cli');

process.exitCode = await main(process.argv);
