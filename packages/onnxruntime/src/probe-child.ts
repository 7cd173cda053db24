// Tests one provider: node probe-child.js MODULE PROVIDER. Prints one line of JSON.

/** What a test process reports about one provider. */
export interface ProbeReply {
  /** The error with which loading the package failed. */
  readonly package?: string;
  readonly version?: string;
  /** The providers that the package lists. */
  readonly listed?: readonly string[];
  /** The error with which the provider failed. */
  readonly problem?: string;
}

/** The model y = x + x over float32[N], as an ONNX file of opset 17. */
const MODEL = 'CAgSBmJyZXplbDo7Cg4KAXgKAXgSAXkiA0FkZBIFcHJvYmVaEAoBeBILCgkIARIFCgMSAU5iEAoBeRILCgkIARIFCgMSAU5CAhAR';

async function attempt(module: string, provider: string): Promise<ProbeReply> {
  let onnxruntime: typeof import('onnxruntime-node');
  try {
    const found = await import(module);
    onnxruntime = found.default ?? found;
  } catch (error) {
    return { package: (error as Error).message };
  }
  const version = onnxruntime.env?.versions?.node;
  const about = {
    ...(version !== undefined && { version }),
    listed: onnxruntime.listSupportedBackends?.().map(({ name }) => name) ?? [],
  };
  try {
    await runModel(onnxruntime, provider);
    return about;
  } catch (error) {
    return { ...about, problem: (error as Error).message };
  }
}

async function runModel({ InferenceSession, Tensor }: typeof import('onnxruntime-node'), provider: string) {
  const bytes = new Uint8Array(Buffer.from(MODEL, 'base64'));
  const session = await InferenceSession.create(bytes, { executionProviders: [provider], logSeverityLevel: 4 });
  const { y } = await session.run({ x: new Tensor('float32', Float32Array.of(1, -2), [2]) });
  const [first, second] = y!.data as Float32Array;
  if (first !== 2 || second !== -4) throw new Error(`1 + 1 is ${first} and -2 + -2 is ${second}`);
}

const [module = 'onnxruntime-node', provider = 'cpu'] = process.argv.slice(2);
attempt(module, provider).then((reply) => {
  // Exits immediately, so that a driver that crashes when it is unloaded does not change the
  // result.
  process.stdout.write(`\n${JSON.stringify(reply)}`, () => process.exit(0));
});
