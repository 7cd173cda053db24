import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: { include: ['native/bench/*.bench.ts'], disableConsoleIntercept: true, fileParallelism: false },
});
