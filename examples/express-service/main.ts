import type { AddressInfo } from 'node:net';
import { createService } from './service.js';

// npm run example express-service -- 8080
const { app, registry } = await createService();
const server = app.listen(Number(process.argv[2] ?? 8080), () => {
  const url = `http://localhost:${(server.address() as AddressInfo).port}`;
  console.log(`listening on ${url}; try:`);
  console.log(`curl ${url}/predict/film --json '{"text": "a charming little film"}'`);
});

// After SIGTERM, the service answers the requests in flight, then closes the registry.
process.once('SIGTERM', () =>
  server.close(async () => {
    await registry.close({ drainMs: 5000 });
    console.log('closed');
  }),
);
