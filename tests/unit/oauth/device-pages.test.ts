import { expect, test } from 'vitest';
import { CATALOGUE } from '@/lib/oauth/controls/catalogue';
import { assessAll } from '@/tests/fixtures/assess-all';
import { smallServer } from '@/tests/fixtures/small-server';
import { VERDICTS_ALONE } from './lab-fixture';

const ORIGIN = 'https://small.example';
const DEVICE_ENDPOINT = { device_authorization_endpoint: `${ORIGIN}/device_authorization` };

/** A page on which entering the code is the consent. */
const ALLOW_OR_DENY =
  '<form method="post"><input name="user_code"><button name="allow">Allow</button><button name="deny">Deny</button></form>';
const AUTHORIZE = '<form method="post"><input name="user_code"><button>Authorize</button></form>';

interface Device {
  userCode: string;
  state: 'waiting' | 'approved' | 'denied';
}

/** Judges `device-approval` at a server with this verification page. It may connect devices in spite of a refusal. */
async function judge(page: string, { ignoresDeny = false, mostCodes = 1_000 } = {}) {
  const small = smallServer({ metadata: DEVICE_ENDPOINT });
  const devices = new Map<string, Device>();
  const issueCode = () => {
    if (devices.size === mostCodes) return new Response('down', { status: 503 });
    const [deviceCode, userCode] = [crypto.randomUUID(), crypto.randomUUID().slice(0, 8)];
    devices.set(deviceCode, { userCode, state: 'waiting' });
    const address = { verification_uri: `${ORIGIN}/device`, expires_in: 600, interval: 0 };
    return Response.json({ device_code: deviceCode, user_code: userCode, ...address });
  };
  const decide = (fields: URLSearchParams) => {
    for (const device of devices.values())
      if (device.userCode === fields.get('user_code'))
        device.state = fields.has('deny') && !ignoresDeny ? 'denied' : 'approved';
    return new Response('Done.');
  };
  const poll = (fields: URLSearchParams) => {
    const device = devices.get(fields.get('device_code') ?? '');
    if (device?.state === 'approved') return Response.json({ access_token: crypto.randomUUID(), token_type: 'Bearer' });
    const errors = { waiting: 'authorization_pending', denied: 'access_denied' };
    const error = device === undefined ? 'invalid_grant' : errors[device.state as keyof typeof errors];
    return Response.json({ error }, { status: 400 });
  };
  const transport = async (request: Request) => {
    const { pathname } = new URL(request.url);
    const fields = new URLSearchParams(request.method === 'POST' ? await request.clone().text() : '');
    if (pathname === '/device_authorization') return issueCode();
    if (pathname === '/device')
      return request.method === 'POST'
        ? decide(fields)
        : new Response(page, { headers: { 'content-type': 'text/html' } });
    return fields.has('device_code') || /device_code/.test(fields.get('grant_type') ?? '')
      ? poll(fields)
      : small.transport(request);
  };
  const controls = CATALOGUE.filter(({ id }) => id === 'device-approval');
  const [finding] = await assessAll({ ...small, transport }, { ...VERDICTS_ALONE, controls });
  return { ...finding, codes: devices.size };
}

test('a page that asks for the code and the answer at once is declined', async () => {
  const seen = await judge(ALLOW_OR_DENY);
  expect(seen.verdict).toMatchObject({ kind: 'passed', reason: expect.stringContaining('after a person declined') });
  expect((await judge(ALLOW_OR_DENY, { ignoresDeny: true })).verdict).toMatchObject({
    kind: 'failed',
    reason: expect.stringContaining('after a person declined'),
  });
});

test('a page on which only the code is entered is not declined', async () => {
  const seen = await judge(AUTHORIZE);
  expect(seen.verdict).toMatchObject({ kind: 'passed', reason: expect.not.stringContaining('declined') });
  expect(seen.exchanges?.some(({ label }) => label.startsWith('Decline'))).toBe(false);
});

test('a server that gives no code for a refusal is judged by the rest', async () => {
  const { codes } = await judge(ALLOW_OR_DENY);
  const seen = await judge(ALLOW_OR_DENY, { mostCodes: codes - 1 });
  expect(seen.verdict).toMatchObject({ kind: 'passed', reason: expect.not.stringContaining('declined') });
});
