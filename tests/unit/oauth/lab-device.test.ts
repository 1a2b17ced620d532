import * as oauth from 'oauth4webapi';
import { describe, expect, test } from 'vitest';
import { DEVICE_GRANT, LAB_PATHS } from '@/lib/contract/lab-paths';
import { BASIC, makeLab, ORIGIN } from './lab-fixture';

type Lab = ReturnType<typeof makeLab>;
const CONFIDENTIAL = { headers: { authorization: BASIC } };

/** Asks for a device code, as the public client unless the fields say otherwise. */
const ask = async (lab: Lab, fields: Record<string, string> = {}, init: Parameters<Lab['form']>[2] = {}) => {
  const all = { client_id: 'demo-client', scope: 'openid profile offline_access', ...fields };
  const answer = await lab.form(LAB_PATHS.deviceAuthorization, all, init);
  return { status: answer.status, body: await answer.json() };
};
const poll = async (lab: Lab, device_code: string, fields: Record<string, string> = {}, off?: string) => {
  const all = { grant_type: DEVICE_GRANT, client_id: 'demo-client', device_code, ...fields };
  const answer = await lab.form(LAB_PATHS.token, all, { off });
  return { status: answer.status, waived: answer.headers.get('sluice-lab-waived'), body: await answer.json() };
};
const answer = (lab: Lab, body: unknown) =>
  lab.send(LAB_PATHS.device, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
const open = async (lab: Lab, query: string, off?: string) => {
  const page = await lab.send(LAB_PATHS.device + query, { off });
  const html = await page.text();
  return {
    status: page.status,
    html,
    headers: page.headers,
    ticket: /name="ticket" value="([^"]+)"/.exec(html)?.[1] ?? '',
  };
};

describe('the device grant of the lab', () => {
  test('gives a token once a person agreed', async () => {
    const lab = makeLab();
    const { status, body } = await ask(lab);
    expect(status).toBe(200);
    expect(body).toMatchObject({ verification_uri: `${ORIGIN}/auth/device`, expires_in: 600, interval: 5 });
    expect(body.user_code).toMatch(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/);
    expect(body.verification_uri_complete).toBe(`${ORIGIN}/auth/device?user_code=${body.user_code}`);
    expect(await poll(lab, body.device_code)).toMatchObject({
      status: 400,
      body: { error: 'authorization_pending', blocked_by: ['device-approval'] },
    });
    expect(await (await answer(lab, { user_code: body.user_code })).json()).toEqual({
      client_id: 'demo-client',
      scope: 'openid profile offline_access',
      decision: 'approve',
    });
    const tokens = await poll(lab, body.device_code);
    expect(tokens).toMatchObject({
      status: 200,
      body: { token_type: 'Bearer', scope: 'openid profile offline_access' },
    });
    expect(Object.keys(tokens.body)).toEqual(expect.arrayContaining(['refresh_token', 'id_token']));
    expect((await lab.data(tokens.body.access_token)).status).toBe(200);
    expect(await poll(lab, body.device_code)).toMatchObject({ body: { blocked_by: ['device-code-single-use'] } });
  });

  test('tells a device that polls too often to slow down, by five seconds more each time', async () => {
    const lab = makeLab();
    const { body } = await ask(lab);
    const errorAfter = async (seconds: number) => {
      lab.advance(seconds * 1000);
      return (await poll(lab, body.device_code)).body.error;
    };
    const seen: string[] = [];
    for (const seconds of [0, 5, 4, 9, 15, 14]) seen.push(await errorAfter(seconds));
    expect(seen).toEqual([
      ...['authorization_pending', 'authorization_pending', 'slow_down', 'slow_down'],
      ...['authorization_pending', 'slow_down'],
    ]);
    await answer(lab, { user_code: body.user_code });
    expect((await poll(lab, body.device_code)).status).toBe(200);
  });

  test('ends with a refusal, an expiry, or an unknown code', async () => {
    const lab = makeLab();
    const denied = (await ask(lab)).body;
    await answer(lab, { user_code: denied.user_code, decision: 'deny' });
    expect((await poll(lab, denied.device_code)).body.error).toBe('access_denied');
    expect((await poll(lab, denied.device_code, {}, 'device-approval=?0')).body.error).toBe('access_denied');
    const expired = (await ask(lab)).body;
    const approved = (await ask(lab)).body;
    await answer(lab, { user_code: approved.user_code });
    lab.advance(600_000);
    for (const { device_code } of [expired, approved])
      expect((await poll(lab, device_code)).body.error).toBe('expired_token');
    expect((await answer(lab, { user_code: expired.user_code })).status).toBe(400);
    for (const code of ['invented', denied.user_code])
      expect((await poll(lab, code)).body).toMatchObject({ error: 'invalid_grant', blocked_by: [] });
    expect((await poll(lab, '')).body.error).toBe('invalid_request');
  });

  test('belongs to the client that asked, which authenticates', async () => {
    const lab = makeLab();
    const id = { client_id: 'demo-confidential' };
    expect((await ask(lab, id)).body).toMatchObject({ error: 'invalid_client', blocked_by: ['client-authentication'] });
    const { body } = await ask(lab, id, CONFIDENTIAL);
    await answer(lab, { user_code: body.user_code });
    expect((await poll(lab, body.device_code, id)).body.error).toBe('invalid_client');
    expect((await poll(lab, body.device_code)).body).toMatchObject({
      error: 'invalid_grant',
      blocked_by: ['device-code-client-binding'],
    });
    expect((await poll(lab, body.device_code, { ...id, client_secret: 'demo-secret' })).status).toBe(200);
    expect((await ask(lab, { scope: 'admin' })).body).toMatchObject({
      error: 'invalid_scope',
      blocked_by: ['scope-limits'],
    });
    expect((await ask(lab, { resource: 'https://unknown.example' })).body.error).toBe('invalid_target');
  });

  test('of several polls at once one gets the token', async () => {
    const lab = makeLab();
    const { body } = await ask(lab);
    await answer(lab, { user_code: body.user_code });
    const answers = await Promise.all(Array.from({ length: 20 }, () => poll(lab, body.device_code)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  });

  test.each([
    ['device-approval', async (_lab: Lab) => undefined],
    [
      'device-code-lifetime',
      async (lab: Lab, code: string) => {
        await answer(lab, { user_code: code });
        lab.advance(700_000);
      },
    ],
  ])('without %s names what it lets pass', async (control, prepare) => {
    const lab = makeLab();
    const { body } = await ask(lab);
    await prepare(lab, body.user_code);
    expect(await poll(lab, body.device_code, {}, `${control}=?0`)).toMatchObject({ status: 200, waived: control });
  });

  test('is completed by oauth4webapi', async () => {
    const lab = makeLab();
    lab.advance(Date.now() - lab.services.now());
    const issuer = new URL(ORIGIN);
    const options = {
      [oauth.customFetch]: (url: string, init: object) => lab.send(url.slice(ORIGIN.length), init),
      [oauth.allowInsecureRequests]: true,
    };
    const as = await oauth.processDiscoveryResponse(
      issuer,
      await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...options }),
    );
    const app = { client_id: 'demo-client' };
    const asked = await oauth.deviceAuthorizationRequest(as, app, oauth.None(), { scope: 'openid profile' }, options);
    const device = await oauth.processDeviceAuthorizationResponse(as, app, asked);
    await answer(lab, { user_code: device.user_code });
    const polled = await oauth.deviceCodeGrantRequest(as, app, oauth.None(), device.device_code, options);
    const tokens = await oauth.processDeviceCodeResponse(as, app, polled);
    expect(oauth.getValidatedIdTokenClaims(tokens)?.sub).toBe('demo@example.com');
  });
});

describe('the verification page', () => {
  test('asks for the code, then shows what is asked for, and takes one answer', async () => {
    const lab = makeLab();
    const { body } = await ask(lab);
    const typed = body.user_code.toLowerCase().replace('-', '');
    expect((await open(lab, '')).html).toContain('name="user_code"');
    const { status, html, headers, ticket } = await open(lab, `?user_code=${typed}`);
    expect(status).toBe(200);
    for (const text of ['demo-client', 'offline_access', 'demo@example.com', typed]) expect(html).toContain(text);
    expect(html).not.toContain(body.device_code);
    expect(headers.get('x-frame-options')).toBe('DENY');
    expect((await poll(lab, body.device_code)).body.error).toBe('authorization_pending');
    const decide = (fields: Record<string, string>, init = {}) => lab.form(LAB_PATHS.deviceDecision, fields, init);
    const forged = { headers: { 'sec-fetch-site': 'cross-site' } };
    expect((await decide({ ticket, decision: 'approve' }, forged)).status).toBe(400);
    expect((await decide({ ticket: 'invented', decision: 'approve' })).status).toBe(400);
    expect((await decide({ user_code: body.user_code, decision: 'approve' })).status).toBe(400);
    expect(await (await decide({ ticket, decision: 'approve' })).text()).toContain('connected');
    expect((await decide({ ticket, decision: 'deny' })).status).toBe(400);
    expect((await poll(lab, body.device_code)).status).toBe(200);
    expect((await open(lab, `?user_code=${typed}`)).status).toBe(400);
  });

  test('of two pages for one code the first answer counts', async () => {
    const lab = makeLab();
    const { body } = await ask(lab);
    const [first, second] = [
      await open(lab, `?user_code=${body.user_code}`),
      await open(lab, `?user_code=${body.user_code}`),
    ];
    const decide = (ticket: string, decision: string) => lab.form(LAB_PATHS.deviceDecision, { ticket, decision });
    expect(await (await decide(first.ticket, 'deny')).text()).toContain('denied');
    expect((await decide(second.ticket, 'approve')).status).toBe(400);
    expect((await poll(lab, body.device_code)).body.error).toBe('access_denied');
  });

  test('takes no ticket of the consent page, and the consent page none of it', async () => {
    const lab = makeLab();
    const { body } = await ask(lab);
    const { ticket } = await open(lab, `?user_code=${body.user_code}`);
    expect((await lab.form(LAB_PATHS.decision, { ticket, decision: 'approve' })).status).toBe(400);
    expect((await poll(lab, body.device_code)).body.error).toBe('authorization_pending');
  });

  test('takes the answer of a program as JSON only, which no form of another site can send', async () => {
    const lab = makeLab();
    const { body } = await ask(lab);
    const fields = { user_code: body.user_code, decision: 'approve' };
    expect((await lab.form(LAB_PATHS.device, fields)).status).toBe(400);
    const plain = { method: 'POST', body: JSON.stringify(fields), headers: { 'content-type': 'text/plain' } };
    expect((await lab.send(LAB_PATHS.device, plain)).status).toBe(400);
    for (const wrong of [{}, { ...fields, decision: 'maybe' }, { user_code: 'BCDF-GHJK' }])
      expect((await answer(lab, wrong)).status).toBe(400);
    expect((await poll(lab, body.device_code)).body.error).toBe('authorization_pending');
  });

  test('connects a device that is opened only without device-consent', async () => {
    const lab = makeLab();
    const { body } = await ask(lab);
    expect((await open(lab, `?user_code=${body.user_code}`, 'device-consent=?0')).html).toContain('connected');
    expect((await poll(lab, body.device_code)).status).toBe(200);
  });

  test('escapes what it shows', async () => {
    const { html } = await open(makeLab(), `?user_code=${encodeURIComponent('<b>"')}`);
    expect(html).not.toContain('<b>"');
  });
});
