import { createService } from './service.js';

// npm run example fastify-service -- 8080
const app = await createService();
const url = await app.listen({ port: Number(process.argv[2] ?? 8080) });
console.log(`listening on ${url}; try:`);
console.log(`curl ${url}/predict/film --json '{"text": "a charming little film"}'`);

// After SIGTERM, the service answers the requests in flight, then closes the registry.
process.once('SIGTERM', () => app.close().then(() => console.log('closed')));
