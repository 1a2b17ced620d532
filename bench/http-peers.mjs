// One of the peers of bench/http.ts as a process of its own: node bench/http-peers.mjs <fastify|express> <port> <limit>
const [, , name, port, limit] = process.argv;
const options = { port: Number(port), host: '127.0.0.1' };
const max = Number(limit);

// Whom a request counts for is told in a header, so that there are as many of them as in Sluice's run.
const keyOf = (request) => request.headers['x-client'];

if (name === 'fastify') {
  const { default: fastify } = await import('fastify');
  const { default: rateLimit } = await import('@fastify/rate-limit');
  const app = fastify();
  await app.register(rateLimit, { max, timeWindow: 60_000, keyGenerator: keyOf, cache: 100_000 });
  app.post('/', async () => ({ allowed: true }));
  await app.listen(options);
} else {
  const { default: express } = await import('express');
  const { rateLimit } = await import('express-rate-limit');
  const app = express();
  app.use(
    rateLimit({ limit: max, windowMs: 60_000, keyGenerator: keyOf, standardHeaders: true, legacyHeaders: false }),
  );
  app.use(express.json());
  app.post('/', (_request, response) => response.json({ allowed: true }));
  app.listen(options.port, options.host);
}
