// node server.mjs: a Fastify application whose limits Sluice keeps.
import fastify from 'fastify';
import { Sluice } from 'sluice/client';
import { limit } from 'sluice/fastify';

const sluice = new Sluice({ url: process.env.SLUICE_URL, token: process.env.SLUICE_TOKEN });
const app = fastify();

app.addHook('onRequest', limit(sluice, { skip: (request) => request.url === '/healthz' }));

app.get('/healthz', async () => 'ok');
app.get('/api/reports', async () => ({ reports: [] }));

// A limit of its own: the class by name, and the API key that the client sent.
const orders = limit(sluice, { class: 'sensitive', ip: false, apiKey: (request) => request.headers['x-api-key'] });
app.post('/orders', { onRequest: orders }, async () => ({ ordered: true }));

await app.listen({ port: Number(process.env.PORT ?? 8080) });
console.log(`listens on ${app.server.address().port}`);
