// Runs a peer of bench/http.ts in its own process: node bench/http-peers.mjs <bare|fastify|express> <port> <limit>
const [, , name, port, limit] = process.argv;
const options = { port: Number(port), host: '127.0.0.1' };
const max = Number(limit);

// A header names the client, so that there are as many clients as in Sluice's run.
const readClient = (request) => request.headers['x-client'];

if (name === 'bare') {
  // No limiter: the cost for any Node server to read a check and answer.
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
  await app.register(rateLimit, { max, timeWindow: 60_000, keyGenerator: readClient, cache: 100_000 });
  app.post('/', async () => ({ allowed: true }));
  await app.listen(options);
} else {
  const { default: express } = await import('express');
  const { rateLimit } = await import('express-rate-limit');
  const app = express();
  app.use(
    rateLimit({ limit: max, windowMs: 60_000, keyGenerator: readClient, standardHeaders: true, legacyHeaders: false }),
  );
  app.use(express.json());
  app.post('/', (_request, response) => response.json({ allowed: true }));
  app.listen(options.port, options.host);
}
