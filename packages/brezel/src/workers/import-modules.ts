const imported = new Set<string>();

/** Imports the modules that define operators. This thread imports each module once. */
export async function importModules(modules: readonly string[]): Promise<void> {
  for (const module of modules) {
    if (imported.has(module)) continue;
    await import(module);
    imported.add(module);
  }
}
