/** A compiled WebAssembly module: `WebAssembly.Module`. */
// biome-ignore lint/suspicious/noEmptyInterface: TypeScript declares WebAssembly only with the DOM
export interface WasmModule {}

/** The functions and types of `WebAssembly` that Brezel uses. */
interface WebAssemblyHost {
  readonly Module: new (bytes: Uint8Array) => WasmModule;
  readonly Instance: new (module: WasmModule, imports: object) => { readonly exports: object };
  validate(bytes: Uint8Array): boolean;
  compile(bytes: ArrayBuffer | Uint8Array): Promise<WasmModule>;
  instantiate(module: WasmModule, imports: object): Promise<{ readonly exports: object }>;
}

/**
 * `WebAssembly` of this process or page. TypeScript declares the global variable only together with
 * the types of browsers, which this package does not use.
 */
export const { WebAssembly: webAssembly } = globalThis as unknown as { readonly WebAssembly: WebAssemblyHost };
