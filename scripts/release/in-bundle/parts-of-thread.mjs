// A worker thread of a bundled program starts no threads, so it takes no parts from the bundle.
export const inlined = {};
export const paths = { '@brezel/native': '@brezel/native', '@brezel/core/thread-entry': '/brezel-thread' };
