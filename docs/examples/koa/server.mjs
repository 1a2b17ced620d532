// node server.mjs: a Koa application whose limits Sluice keeps.
import Koa from 'koa';
import { Sluice } from 'sluice/client';
import { limit } from 'sluice/koa';

const sluice = new Sluice({ url: process.env.SLUICE_URL, token: process.env.SLUICE_TOKEN });
const app = new Koa();

app.use(limit(sluice, { skip: ({ path }) => path === '/healthz' }));

// A limit of its own: the class by name, and the API key that the client sent.
const orders = limit(sluice, { class: 'sensitive', ip: false, apiKey: (context) => context.get('x-api-key') || null });
app.use((context, next) => (context.path === '/orders' ? orders(context, next) : next()));

app.use((context) => {
  if (context.path === '/healthz') context.body = 'ok';
  if (context.path === '/api/reports') context.body = { reports: [] };
  if (context.path === '/orders') context.body = { ordered: true };
});

const server = app.listen(process.env.PORT ?? 8080, () => console.log(`listens on ${server.address().port}`));
