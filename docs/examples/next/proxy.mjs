// In your application `proxy.ts` (`middleware.ts` before Next 16): every request that the matcher names is limited.
import { forwardedFor, limit } from 'sluice/next';
import { sluice } from './sluice.mjs';

export const proxy = limit(sluice, {
  // One proxy stands before Next and has written the address of its client; on Vercel too.
  ip: forwardedFor(1),
  skip: ({ url }) => new URL(url).pathname === '/healthz',
  // Next lets no handler replace what the proxy has set: one with a limit of its own sends the headers of that.
  headers: ({ url }) => new URL(url).pathname !== '/api/orders',
});

export const config = { matcher: '/((?!_next/).*)' };
