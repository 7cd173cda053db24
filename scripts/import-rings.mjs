// Finds rings of imports among the files of a package. In a ring, each file imports the next one,
// and the last file imports the first.

/**
 * Finds rings, which are cycles of imports. For each file in a ring, returns its shortest ring as a
 * list of files, unless the file is already in a returned ring.
 *
 * @param {ReadonlyMap<string, readonly string[]>} imports for each file, the files that it imports
 * @returns {string[][]}
 */
export function importRings(imports) {
  const rings = [];
  const reported = new Set();
  for (const file of [...imports.keys()].sort()) {
    const ring = reported.has(file) ? undefined : shortestRing(imports, file);
    if (ring === undefined) continue;
    rings.push(ring);
    for (const one of ring) reported.add(one);
  }
  return rings;
}

function shortestRing(imports, start) {
  const importer = new Map();
  const queue = [start];
  for (const file of queue) {
    for (const target of imports.get(file) ?? []) {
      if (target === start) return wayTo(file, importer);
      if (importer.has(target)) continue;
      importer.set(target, file);
      queue.push(target);
    }
  }
  return undefined;
}

function wayTo(file, importer) {
  const way = [];
  for (let at = file; at !== undefined; at = importer.get(at)) way.unshift(at);
  return way;
}
