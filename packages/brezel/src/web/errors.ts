import { BrezelError, thrower } from '@brezel/core';

/** An error of `brezel/web` that the caller can fix. */
export class WebError extends BrezelError {}

export const webErrors = {
  ERR_WEB_FETCH: {
    message: 'a file cannot be fetched',
    hint: 'check the URL, the status of the response and the rules of the server for other origins',
  },
  ERR_WEB_MEMORY: {
    message: 'a fleet file does not fit in the memory of WebAssembly',
    hint: 'pack fewer plans into the file, or predict on a server: the memory of WebAssembly has at most 4 GiB',
  },
  ERR_WEB_KERNELS: {
    message: 'kernels.wasm belongs to another version of brezel',
    hint: 'pass the kernels.wasm of the package that contains your brezel/web, as bytes, URL or WebAssembly.Module',
  },
  ERR_WEB_OPERATOR: {
    message: 'a plan has stages that do not run in WebAssembly',
    hint: 'custom operators and black boxes run only in Node: predict such a plan on a server',
  },
  ERR_WEB_OPTION: {
    message: 'invalid option',
    hint: 'use a value that the documentation of the option allows',
  },
  ERR_WEB_CLOSED: {
    message: 'the fleet is closed',
    hint: 'open the fleet again',
  },
} as const;

export const webError = thrower(WebError, webErrors);
