// Answers a change of the API without Next: passes Node's request to `bridge.administer`, and writes its answer. The body
// is received when the operation asks for it, which it does once the caller is authorised.
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import type { AnswerCall } from '@/lib/process/administer';
import { AUTHORISED, PUBLIC, receiveBody } from '@/server/bodies';
import { closeAfter, hasBody, type NodeRequest, type NodeResponse, send } from '@/server/door';

const JSON_TYPE = /^application\/(?:problem\+)?json\b/;

/**
 * Answers a change.
 * @param answerTo what `bridge.administer` found
 * @param proceed lets a client send its body that waits for permission
 */
export async function answerAdminCall(
  answerTo: AnswerCall,
  req: NodeRequest,
  res: NodeResponse,
  proceed: () => void,
): Promise<void> {
  const gone = new AbortController();
  res.once('close', () => gone.abort());
  const receive = async () => {
    proceed();
    const bytes = await receiveBody(req, res, req.url.startsWith('/v1/admin/') ? AUTHORISED : PUBLIC);
    // It was put back.
    if (bytes !== null) req.read();
    return bytes;
  };
  const body = hasBody(req) ? receive : null;
  const answer = await answerTo({ headers: req.headers, body, signal: gone.signal });
  if (res.headersSent || res.destroyed) return void answer.body?.cancel().catch(() => undefined);
  for (const cookie of answer.headers.getSetCookie()) res.appendHeader('Set-Cookie', cookie);
  const { 'set-cookie': _, ...fields } = Object.fromEntries(answer.headers);
  if (answer.body === null || JSON_TYPE.test(fields['content-type'] ?? '')) {
    const text = answer.body === null ? null : await answer.text();
    if (!res.headersSent && !res.destroyed) send(res, { status: answer.status, headers: fields, body: text });
    return;
  }
  if (!req.complete) closeAfter(res);
  res.writeHead(answer.status, fields);
  await pipeline(Readable.fromWeb(answer.body as ReadableStream), res).catch(() => undefined);
}
