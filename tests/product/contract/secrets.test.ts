import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ADMIN_TOKEN } from '../../fixtures/product';
import { product, productSuite } from '../../fixtures/product-suite';
import { until } from '../../fixtures/until';

const PASSWORD = 'planted member password & more';
const OWN = { kept: 'planted-owner-password-0123456789' };

productSuite({ SLUICE_LOG_LEVEL: 'trace', SLUICE_ADMIN_PASSWORD: OWN.kept });

const json = async (response: Response) => (await response.json()) as Record<string, string>;

/** Everything that lasts: the database, its WAL and what else is beside it, and what was printed. */
function everythingKept(): Record<string, string> {
  const files = readdirSync(product.directory).map((name) => [
    name,
    readFileSync(join(product.directory, name)).toString('latin1'),
  ]);
  return { ...Object.fromEntries(files), output: Buffer.from(product.output()).toString('latin1') };
}

function encodings(secret: string): string[] {
  const bytes = Buffer.from(secret);
  return [
    secret,
    encodeURIComponent(secret),
    new URLSearchParams([['', secret]]).toString().slice(1),
    [...bytes].map((byte) => `%${byte.toString(16)}`).join(''),
    bytes.toString('base64').replace(/=+$/, ''),
    Buffer.from(`x${secret}`).toString('base64').slice(2).replace(/.?=+$/, ''),
    bytes.toString('hex'),
  ];
}

/** Sends a secret in every place of a request where somebody could put it by mistake. */
async function plant(secret: string, address: string): Promise<void> {
  const [path = '', form = '', bytes = ''] = [
    encodeURIComponent(secret),
    new URLSearchParams([['', secret]]).toString().slice(1),
    [...Buffer.from(secret)].map((byte) => `%${byte.toString(16)}`).join(''),
  ];
  const text = secret.replaceAll(/[^\x20-\x7e]/g, '');
  const headers: Record<string, string> = {
    'X-Forwarded-For': address,
    Referer: `https://elsewhere.example/?key=${path}`,
    'User-Agent': `agent ${text}`,
    Cookie: `session=${path}; next-auth.session-token=${path}`,
    Origin: 'https://elsewhere.example',
    'X-Api-Key': text,
  };
  if (/^[\w.-]{8,128}$/.test(secret)) headers['X-Request-Id'] = secret;
  const send = (method: string, target: string, body?: string, type = 'application/json', more = {}) =>
    fetch(product.origin + target, {
      method,
      redirect: 'manual',
      headers: { ...headers, ...(body === undefined ? {} : { 'Content-Type': type }), ...more },
      ...(body === undefined ? {} : { body }),
    }).then((response) => response.arrayBuffer());
  for (const spelled of [path, bytes]) {
    for (const start of [
      '/',
      '/api/',
      '/auth/',
      '/v1/admin/',
      '/v1/admin/api-keys/',
      '/v1/forward-auth/envoy/',
      '/docs/',
    ]) {
      await send('GET', `${start}${spelled}?key=${spelled}`);
    }
  }
  // More than is allowed, so that refusals with their paths reach the decisions log.
  for (let count = 0; count < 12; count += 1) await send('POST', `/auth/${path}/${count}?code=${path}`, '{}');
  await send(
    'POST',
    '/auth/token',
    `grant_type=password&client_id=${form}&client_secret=${form}&code=${form}`,
    'application/x-www-form-urlencoded',
  );
  await send('POST', '/auth/token', undefined, undefined, {
    Authorization: `Basic ${Buffer.from(`${secret}:${secret}`).toString('base64')}`,
  });
  for (const scheme of ['Bearer', 'Basic', 'DPoP'])
    await send('GET', '/api/data', undefined, undefined, { Authorization: `${scheme} ${text}` });
  const admin = { Authorization: `Bearer ${ADMIN_TOKEN}` };
  const post = (target: string, body: object, more = {}) =>
    send('POST', target, JSON.stringify(body), undefined, { ...admin, ...more });
  for (let count = 0; count < 12; count += 1) {
    await post('/v1/check', {
      ip: '198.51.100.7',
      class: 'auth',
      path: `/x/${path}/${count}?k=${path}`,
      api_key: secret,
    });
    await send('GET', '/v1/forward-auth', undefined, undefined, {
      ...admin,
      'X-Forwarded-Method': 'POST',
      'X-Forwarded-Uri': `/auth/${path}?k=${path}`,
    });
  }
  await post('/v1/admin/rate-limit/quota/none/tier', { tier: secret });
  await post('/v1/admin/api-keys', { name: 1, secret }, { 'Idempotency-Key': 'planted-0123456789' });
  await post('/v1/admin/nothing', { [secret]: secret });
  await send('POST', '/v1/admin/members', `{"email": "${secret}`);
  await send(
    'POST',
    '/api/auth/callback/credentials',
    `email=a%40b.c&password=${form}`,
    'application/x-www-form-urlencoded',
  );
}

it('no credential is left in the database, its log or the output, wherever it was sent', async () => {
  const once = { 'Idempotency-Key': 'made-once-0123456789' };
  const key = await json(await product.admin('POST', '/v1/admin/api-keys', { name: 'planted', tier: 'free' }, once));
  const token = await json(await product.admin('POST', '/v1/admin/tokens', { name: 'planted', role: 'owner' }, once));
  const member = { email: 'planted@example.com', role: 'viewer', password: PASSWORD };
  expect((await product.admin('POST', '/v1/admin/members', member, once)).status).toBe(201);
  const rotated = await json(
    await product.admin('POST', `/v1/admin/api-keys/${key.id}/rotate`, { grace_seconds: 60 }, once),
  );
  const secrets = [key.secret, token.token, rotated.secret, ADMIN_TOKEN, OWN.kept].map(String);
  for (const secret of secrets) expect(secret.length).toBeGreaterThan(20);
  // Somebody pastes a key into a reason, which the audit log keeps for ever.
  const reason = `leaked: ${key.secret}`;
  const entry = { type: 'user_id', identifier: 'u-1', reason };
  expect((await product.admin('POST', '/v1/admin/rate-limit/allowlist', entry)).status).toBeLessThan(300);
  expect((await product.admin('POST', `/v1/admin/rate-limit/quota/${key.id}/reset`, { reason })).status).toBe(200);

  for (const [index, secret] of secrets.entries()) await plant(secret, `203.0.113.${index + 1}`);
  const visitor = await fetch(`${product.origin}/api/auth/csrf`);
  const { csrfToken } = (await visitor.json()) as { csrfToken: string };
  const cookie = visitor.headers
    .getSetCookie()
    .map((cookie) => cookie.split(';')[0])
    .join('; ');
  const form = new URLSearchParams({ email: member.email, password: PASSWORD, csrfToken, json: 'true' });
  await fetch(`${product.origin}/api/auth/callback/credentials`, { method: 'POST', headers: { cookie }, body: form });

  await until(() => product.output().includes('/auth/slt_'));
  const decisions = async () => (await product.admin('GET', '/v1/admin/decisions?limit=500')).text();
  await until(async () => /"path":"\/(?:auth|x)\/slk_/.test(await decisions()));
  const answers = [
    await decisions(),
    await (await product.admin('GET', '/v1/admin/audit?limit=500')).text(),
    await (await product.admin('GET', '/v1/admin/overview')).text(),
  ].join('\n');
  await product.kill();

  const kept = { ...everythingKept(), answers };
  expect(Object.keys(kept).length).toBeGreaterThan(3);
  for (const secret of [...secrets, PASSWORD]) {
    for (const [place, text] of Object.entries(kept)) {
      const found = encodings(secret).filter((encoded) => text.includes(encoded));
      const at = found.map((encoded) =>
        text.slice(Math.max(0, text.indexOf(encoded) - 160), text.indexOf(encoded) + 80).replaceAll(/[^ -~]/g, '.'),
      );
      expect(at, `${place} holds ${secret}`).toEqual([]);
    }
  }
  // What was sent can still be told: the prefix that lists show, too.
  expect(kept.answers).toContain(`leaked: ${String(key.secret).slice(0, 12)}…`);
});
