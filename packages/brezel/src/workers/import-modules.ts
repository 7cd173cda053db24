const imported = new Set<string>();

/** Modules that define operators, each imported once in this thread. */
export async function importModules(modules: readonly string[]): Promise<void> {
  for (const module of modules) {
    if (imported.has(module)) continue;
    await import(module);
    imported.add(module);
  }
}
