// node server.mjs: an Express application whose limits Sluice keeps.
import express from 'express';
import { Sluice } from 'sluice/client';
import { limit } from 'sluice/express';

const sluice = new Sluice({ url: process.env.SLUICE_URL, token: process.env.SLUICE_TOKEN });
const app = express();

// Behind a proxy of your own: app.set('trust proxy', 'loopback');
app.use(limit(sluice, { skip: (request) => request.path === '/healthz' }));

app.get('/healthz', (_request, response) => response.send('ok'));
app.get('/api/reports', (_request, response) => response.json({ reports: [] }));

// A limit of its own: the class by name, and the API key that the client sent.
const orders = limit(sluice, { class: 'sensitive', ip: false, apiKey: (request) => request.get('x-api-key') });
app.post('/orders', orders, (_request, response) =>
  response.json({ ordered: true, left: response.locals.rateLimit.quota?.remaining ?? null }),
);

const server = app.listen(process.env.PORT ?? 8080, () => console.log(`listens on ${server.address().port}`));
