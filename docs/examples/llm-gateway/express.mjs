// node express.mjs: a gateway for a language model. Sluice limits the requests, tokens and streams of each key.
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import express from 'express';
import { Sluice } from 'sluice/client';
import { callModel, describeRefusal, listLimits, watchUsage } from './model.mjs';

const sluice = new Sluice({ url: process.env.SLUICE_URL, token: process.env.SLUICE_TOKEN });
const app = express().use(express.json());

app.post('/v1/chat/completions', async (request, response) => {
  // Authenticate the key first: the subject must not be a claim of the client.
  const reservation = await sluice.reserve({ limits: listLimits(request.get('x-api-key') ?? 'none', request.body) });
  if (!reservation.allowed) {
    const { status, headers, body } = describeRefusal(reservation.answer);
    return response.status(status).set(headers).json(body);
  }
  const answer = await callModel(request.body);
  const watched = watchUsage(answer, (costs) => reservation.settle(costs));
  response.status(answer.status).type(answer.headers.get('content-type'));
  // It fails if the client leaves, which ends the answer of the model, too.
  await pipeline(Readable.fromWeb(watched), response).catch(() => undefined);
});

export const server = app.listen(process.env.PORT ?? 8080);
