// In your application `route.ts`: a route handler with a limit of its own, by the API key that the client sent.
import { limit } from 'sluice/next';
import { sluice } from '../../../sluice.mjs';

const limited = limit(sluice, { class: 'sensitive', apiKey: (request) => request.headers.get('x-api-key') });

export const POST = limited(async () => Response.json({ ordered: true }));
