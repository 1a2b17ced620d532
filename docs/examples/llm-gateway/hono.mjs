// A gateway for a language model. Sluice limits the requests, tokens and streams of each key.
import { Hono } from 'hono';
import { Sluice } from 'sluice/client';
import { callModel, describeRefusal, listLimits, watchUsage } from './model.mjs';

const sluice = new Sluice({ url: process.env.SLUICE_URL, token: process.env.SLUICE_TOKEN });
const app = new Hono();

app.post('/v1/chat/completions', async (context) => {
  const asked = await context.req.json();
  // Authenticate the key first: the subject must not be a claim of the client.
  const reservation = await sluice.reserve({ limits: listLimits(context.req.header('x-api-key') ?? 'none', asked) });
  if (!reservation.allowed) {
    const { status, headers, body } = describeRefusal(reservation.answer);
    return context.json(body, status, headers);
  }
  const answer = await callModel(asked);
  const watched = watchUsage(answer, (costs) => reservation.settle(costs));
  return new Response(watched, {
    status: answer.status,
    headers: { 'content-type': answer.headers.get('content-type') },
  });
});

export default app;
