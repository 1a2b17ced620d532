// @ts-check
// Answers a change of the admin API without Next: passes Node's request to `bridge.administer`, and writes its answer.
import { LIMIT, limitOf, send } from './door.mjs';

/**
 * @import { Administer } from '../lib/process/administer'
 * @import { ServedRequest, ServedResponse } from './door.mjs'
 */

/**
 * @param {Administer | undefined} administer
 * @param {ServedRequest} req whose body, if it has one, has come as a whole
 * @param {ServedResponse} res
 * @returns {Promise<boolean>} false when the request is for Next
 */
export async function answerAdminCall(administer, req, res) {
  const { method, url, headers } = req;
  // A longer body has not come as a whole.
  if (administer === undefined || !url.startsWith('/v1/admin/') || limitOf(url) > LIMIT) return false;
  const answerTo = administer(method, url);
  if (answerTo === null) return false;
  const gone = new AbortController();
  res.once('close', () => gone.abort());
  const answer = await answerTo({ headers, body: req.read(), signal: gone.signal });
  const { 'set-cookie': _, ...fields } = Object.fromEntries(answer.headers);
  const body = answer.body === null ? null : await answer.text();
  if (res.headersSent || res.destroyed) return true;
  for (const cookie of answer.headers.getSetCookie()) res.appendHeader('Set-Cookie', cookie);
  send(res, { status: answer.status, headers: fields, body });
  return true;
}
