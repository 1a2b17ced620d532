// In your application `proxy.ts` (`middleware.ts` before Next 16): every request that the matcher names is limited.
import { forwardedFor, limit } from 'sluice/next';
import { sluice } from './sluice.mjs';

// One proxy stands before Next and has written the address of its client; on Vercel too.
export const proxy = limit(sluice, {
  ip: forwardedFor(1),
  skip: (request) => new URL(request.url).pathname === '/healthz',
});

export const config = { matcher: '/((?!_next/).*)' };
