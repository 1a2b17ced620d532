// A handler of the web platform whose limits Sluice keeps: Cloudflare Workers, Deno, Bun.
import { Sluice } from 'sluice/client';
import { limit } from 'sluice/fetch';

const sluice = new Sluice({ url: process.env.SLUICE_URL, token: process.env.SLUICE_TOKEN });

// Cloudflare writes this header itself; nobody else can.
const ip = (request) => request.headers.get('cf-connecting-ip');
const limited = limit(sluice, { ip, skip: (request) => new URL(request.url).pathname === '/healthz' });

// A limit of its own: the class by name, and the API key that the client sent.
const orders = limit(sluice, { class: 'sensitive', apiKey: (request) => request.headers.get('x-api-key') });
const order = orders(async () => Response.json({ ordered: true }));

export default {
  fetch: limited(async (request) => {
    switch (new URL(request.url).pathname) {
      case '/healthz':
        return new Response('ok');
      case '/orders':
        return order(request);
      default:
        return Response.json({ reports: [] });
    }
  }),
};
