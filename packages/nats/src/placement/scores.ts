/** Mixes the bits of a 32-bit integer (the finalizer of MurmurHash3). */
function mixed(value: number): number {
  let bits = value;
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return (bits ^ (bits >>> 16)) >>> 0;
}

/** Returns a 32-bit hash of a text (FNV-1a over its UTF-16 units, then mixed). */
export function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  return mixed(hash);
}

/**
 * Returns the score of a server for a key (weighted rendezvous hashing). A key belongs to the
 * servers with the highest scores. The share of the keys of a server is proportional to its weight,
 * and a further server only takes keys: no key moves between other servers.
 *
 * @param server the hash of the server's name
 * @param key the hash of the key
 * @see Source: Thaler and Ravishankar 1998; weights after Resch 2015.
 */
export function scoreOf(server: number, key: number, weight: number): number {
  const high = mixed(server ^ mixed(key));
  const low = mixed(high ^ Math.imul(key, 0x9e3779b1));
  // In (0, 1): 53 bits of both hashes, moved by half a step.
  const uniform = (high * 2 ** 21 + (low >>> 11) + 0.5) / 2 ** 53;
  return -weight / Math.log(uniform);
}
