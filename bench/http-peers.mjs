// One of the peers of bench/http.ts as a process of its own: node bench/http-peers.mjs <bare|fastify|express> <port> <limit>
const [, , name, port, limit] = process.argv;
const options = { port: Number(port), host: '127.0.0.1' };
const max = Number(limit);

// Whom a request counts for is told in a header, so that there are as many of them as in Sluice's run.
const keyOf = (request) => request.headers['x-client'];

if (name === 'bare') {
  // No limiter: what any server of Node pays to read a check and to answer.
  const { createServer } = await import('node:http');
  const server = createServer((request, response) => {
    const chunks = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      const { class: asked } = JSON.parse(Buffer.concat(chunks).toString('utf8') || '{}');
      const body = JSON.stringify({ allowed: true, class: asked, limit: max, remaining: max - 1, reset: 0 });
      response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) });
      response.end(body);
    });
  });
  server.listen(options);
} else if (name === 'fastify') {
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
