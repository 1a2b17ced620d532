// What some pictures need beyond the demonstration's data, made through the API as a client would.

import { TOTP } from 'otpauth';
import { signedIn } from './browser.mjs';

let made = 0;

/** Calls the demonstration's API. @throws Error with what was refused */
async function call(demo, method, path, body) {
  const response = await fetch(demo.origin + path, {
    method,
    headers: { authorization: `Bearer ${demo.token}`, 'content-type': 'application/json' },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${await response.text()}`);
  return response.status === 204 ? null : response.json();
}

/** A link that invites somebody new. */
export async function invite(demo) {
  made += 1;
  const email = `noor${made}@demo.example`;
  const { invitation } = await call(demo, 'POST', '/v1/admin/members', { email, role: 'operator' });
  return { url: invitation.url };
}

/** The id of a key. */
export async function keyId(demo, name) {
  const [key] = await call(demo, 'GET', `/v1/admin/api-keys?q=${encodeURIComponent(name)}`);
  return { id: key.id };
}

/** Somebody new with a password, who is not signed in. */
async function newMember(demo) {
  made += 1;
  const member = { email: `sam${made}@demo.example`, password: 'a demonstration only', name: 'Demo: Sam, support' };
  await call(demo, 'POST', '/v1/admin/members', { ...member, role: 'viewer' });
  return member;
}

/** A signed-in member without a second factor. */
export async function memberWithoutSecondFactor(demo, browser) {
  return signedIn(browser, { ...demo, ...(await newMember(demo)) });
}

/** Requires a second factor of everybody, the owner too, until `after`. */
export async function requireSecondFactor(demo) {
  const set = (second_factor) => call(demo, 'PUT', '/v1/admin/sign-in', { second_factor });
  await set('required');
  return { password: 'a demonstration only', after: () => set('optional') };
}

/** Somebody who signs in with a code, too. */
export async function memberWithSecondFactor(demo, browser) {
  const member = await newMember(demo);
  const storageState = await signedIn(browser, { ...demo, ...member });
  const context = await browser.newContext({ baseURL: demo.origin, storageState });
  const page = await context.newPage();
  await page.goto('/settings?tab=account');
  const send = (method, body) =>
    page.evaluate(
      async ({ method, body }) => {
        const init = { method, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
        return (await fetch('/v1/admin/session/second-factor', init)).json();
      },
      { method, body },
    );
  const { secret } = await send('POST', { password: member.password });
  await send('PUT', { code: new TOTP({ secret }).generate() });
  await context.close();
  return member;
}
