// Runs the tests of random nodes with more nodes: int64 and uint64, powers, and elements at
// indices.
process.env.BREZEL_NODE_RUNS ??= '40';
console.info(`BREZEL_NODE_RUNS=${process.env.BREZEL_NODE_RUNS}`);
await import('./index-nodes.test.js');
await import('./power-nodes.test.js');
await import('./uint64-nodes.test.js');
