// The main thread of a bundled program starts all worker threads, so a worker thread takes no
// packages from the bundle.
export const inlined = {};
export const paths = { '@brezel/native': '@brezel/native', '@brezel/core/thread-entry': '/brezel-thread' };
