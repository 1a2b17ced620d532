import { describe, expect, it } from 'vitest';
import { CONSOLE_TITLES } from '../../fixtures/console-pages';
import { OWNER_EMAIL, OWNER_PASSWORD } from '../../fixtures/product';
import { product, productSuite } from '../../fixtures/product-suite';
import { Visitor } from '../../fixtures/visitor';

productSuite({
  SLUICE_UPSTREAM: 'http://planted-upstream.example:4242',
  SLUICE_TRUSTED_PROXIES: '192.0.2.128/25',
});

/** Whether an answer has facts of the installation, which pages may show to members. */
const hasFacts = (text: string) => text.includes('planted-upstream') || text.includes('192.0.2.128/25');

/** The state of Next's router in the browser: a tree of the segments that it has. */
type State = readonly [segment: string, children: { children?: State }, url?: null, marker?: 'refetch'];

/** States with which a client claims that it has the layouts of a page: on another page, and on this one. */
function listStates(path: string): State[] {
  const segments = path.split('/').filter((segment) => segment !== '');
  const nest = (names: readonly string[], last: State) =>
    names.reduceRight<State>((child, name) => [name, { children: child }], last);
  return [
    nest(['', '(console)', 'elsewhere'], ['__PAGE__', {}]),
    nest(['', '(console)', ...segments], ['__PAGE__', {}, null, 'refetch']),
    nest(['', '(console)', ...segments], ['__PAGE__', {}]),
  ];
}

/** Requests the parts of a page that a client says it lacks. */
async function requestParts(path: string, state: State, cookie = ''): Promise<string> {
  const headers = { RSC: '1', 'Next-Router-State-Tree': encodeURIComponent(JSON.stringify(state)), cookie };
  const response = await fetch(product.origin + path, { headers });
  expect([200, 404]).toContain(response.status);
  return response.text();
}

const PATHS = Object.keys(CONSOLE_TITLES)
  .filter((path) => !path.includes('?'))
  .map((path) => path.replace(/:\w+/, '00000000-0000-7000-8000-000000000000'));

describe('pages that are requested without their layouts', () => {
  it.each(PATHS)('%s shows unauthenticated callers nothing of the installation', async (path) => {
    for (const state of listStates(path)) expect(hasFacts(await requestParts(path, state))).toBe(false);
  });

  it('a router state that Next cannot read is a bad request', async () => {
    for (const path of ['/sign-in', '/settings', '/docs'])
      for (const state of ['x', '%', '%5B%5D', '%7B%7D']) {
        const answer = await fetch(product.origin + path, { headers: { RSC: '1', 'Next-Router-State-Tree': state } });
        expect([answer.status, await answer.json()]).toEqual([400, expect.objectContaining({ error: 'bad_request' })]);
      }
  });

  it('the settings show it to members', async () => {
    const member = new Visitor();
    await member.signIn(OWNER_EMAIL, OWNER_PASSWORD);
    const answers = listStates('/settings').map((state) => requestParts('/settings', state, member.cookie));
    expect((await Promise.all(answers)).map(hasFacts)).toEqual([true, true, false]);
  });
});
