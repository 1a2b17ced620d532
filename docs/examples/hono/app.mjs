// A Hono application whose limits Sluice keeps. Every runtime serves it: `export default app`.
import { Hono } from 'hono';
import { Sluice } from 'sluice/client';
import { limit } from 'sluice/hono';

const sluice = new Sluice({ url: process.env.SLUICE_URL, token: process.env.SLUICE_TOKEN });
const app = new Hono();

// Who asks, as the runtime knows it: on Node, Deno and Bun `getConnInfo(context).remote.address`.
const ip = (context) => context.req.header('cf-connecting-ip');
app.use(limit(sluice, { ip, skip: (context) => context.req.path === '/healthz' }));

app.get('/healthz', (context) => context.text('ok'));
app.get('/api/reports', () => Response.json({ reports: [] }));

// A limit of its own: the class by name, and the API key that the client sent.
const orders = limit(sluice, { class: 'sensitive', apiKey: (context) => context.req.header('x-api-key') });
app.post('/orders', orders, (context) => context.json({ ordered: true }));

export default app;
