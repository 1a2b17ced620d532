import type { IncomingMessage, ServerResponse } from 'node:http';
import { escapeMarkup } from '@/lib/oauth/report/escape-markup';

/** A request of a device, and what a person answered. */
interface Device {
  client: string;
  userCode: string;
  scope: string;
  approved: boolean;
  used: boolean;
}

/** What the hand-written server lends its device grant. */
interface DeviceWorld {
  /** Whether the server has one of these weaknesses. */
  is(...weaknesses: string[]): boolean;
  random(): string;
  issuer(): string;
  page(response: ServerResponse, status: number, body: string, options?: { isFramed?: boolean }): void;
  reply(response: ServerResponse, status: number, body: unknown): void;
}

const LETTERS = 'BCDFGHJKLMNPQRSTVWXZ';

/** The device grant of the hand-written server (RFC 8628). */
export function plantedDevices({ is, random, issuer, page, reply }: DeviceWorld) {
  const devices = new Map<string, Device>();
  const forms = new Map<string, Device>();

  const userCode = () =>
    is('user codes of five digits')
      ? String(10_000 + Math.floor(Math.random() * 90_000))
      : Array.from({ length: 8 }, () => LETTERS[Math.floor(Math.random() * LETTERS.length)]).join('');

  function authorize(response: ServerResponse, client: string, body: URLSearchParams) {
    const deviceCode = is('device codes that count') ? String(1e15 + devices.size) : random();
    const scope = body.get('scope') ?? 'read';
    const isKnown = scope.split(' ').every((name) => ['openid', 'profile', 'read'].includes(name));
    if (!isKnown && !is('any scope of devices')) return reply(response, 400, { error: 'invalid_scope' });
    const device = { client, userCode: userCode(), scope, approved: false, used: false };
    devices.set(deviceCode, device);
    const address = `${issuer()}/device`;
    const secret = is('the device code in the verification address') ? `&device_code=${deviceCode}` : '';
    reply(response, 200, {
      ...{ device_code: deviceCode, user_code: device.userCode, verification_uri: address, expires_in: 600 },
      ...{ verification_uri_complete: `${address}?user_code=${device.userCode}${secret}`, interval: 0 },
    });
  }

  /** The verification page, for a person with a session. */
  function verify(request: IncomingMessage, response: ServerResponse, query: URLSearchParams, body: URLSearchParams) {
    if (request.headers.cookie === undefined)
      return page(response, 200, '<form method="post"><input name="user"><input type="password"></form>');
    const answered = forms.get(body.get('form') ?? '');
    if (answered !== undefined) {
      answered.approved = !body.has('deny') || is('devices connected in spite of a refusal');
      if (is('one approval for every device of a client'))
        for (const other of devices.values()) if (other.client === answered.client) other.approved = true;
      return page(response, 200, 'Done.<form method="post" action="/logout"><button>Sign out</button></form>');
    }
    const device = [...devices.values()].find((known) => known.userCode === query.get('user_code'));
    if (device === undefined) {
      const typed = query.get('user_code') ?? '';
      const shown = is('markup of a user code') ? typed : escapeMarkup(typed);
      const form = `<form><input name="user_code" value="${shown}"><button>Next</button></form>`;
      return page(response, 200, form, { isFramed: is('devices in frames') });
    }
    if (is('devices connected by opening the address')) device.approved = true;
    const form = random();
    forms.set(form, device);
    const hidden = `<input type="hidden" name="form" value="${form}">`;
    if (is('devices connected by a script of the page'))
      return page(response, 200, `<form method="post">${hidden}</form><script>document.forms[0].submit()</script>`);
    const refusal = '<button name="deny" value="1">Deny</button>';
    page(response, 200, `<form method="post">${hidden}<button>Allow</button>${refusal}</form>`);
  }

  /** Returns the device whose tokens a poll gets, or the error that it is answered with. */
  async function redeem(client: string, body: URLSearchParams): Promise<Device | string> {
    const code = body.get('device_code') ?? '';
    if (is('any device code') && code !== '')
      return { client, userCode: '', scope: 'read', approved: true, used: false };
    const [, device] =
      [...devices].find(
        ([known, { userCode: shown }]) =>
          known === code ||
          (is('user codes as device codes') && shown === code) ||
          (is('device codes by their first half') && code !== '' && known.slice(0, 20) === code.slice(0, 20)) ||
          (is('device codes in any case') && known.toLowerCase() === code.toLowerCase()),
      ) ?? [];
    if (device === undefined) return 'invalid_grant';
    if (device.client !== client && !is('device codes for any client')) return 'invalid_grant';
    if (!device.approved && !is('tokens before a person agreed')) return 'authorization_pending';
    if (device.used && !is('device codes again and again')) return 'invalid_grant';
    if (is('device codes used in parallel')) await new Promise((done) => setTimeout(done, 20));
    device.used = true;
    return device;
  }

  return { authorize, verify, redeem };
}
