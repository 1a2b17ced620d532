import { expect, test } from 'vitest';
import { CATALOGUE } from '@/lib/oauth/controls/catalogue';
import { assessAll } from '@/tests/fixtures/assess-all';
import { smallServer } from '@/tests/fixtures/small-server';
import { VERDICTS_ALONE } from './lab-fixture';

const html = (body: string) => new Response(body, { headers: { 'content-type': 'text/html' } });
const lead = (status: number, location: string) => new Response(null, { status, headers: { location } });

interface ConsentServer {
  /** Fields of the page of consent, which is shown for `prompt=consent`. */
  fields: string;
  /** Returns whether an answer agrees. */
  agrees?: (fields: URLSearchParams, path: string) => boolean;
  /** Statuses of the answer to the form, and of the GET that follows it. */
  statuses?: readonly [number, number];
}

/** Judges a control at a server that remembers an earlier consent, and asks again on request. */
async function judge(control: string, { fields, agrees = () => true, statuses = [303, 302] }: ConsentServer) {
  const small = smallServer({ page: {}, isOpenId: true });
  const [posted, resumed] = statuses;
  async function transport(request: Request): Promise<Response> {
    const url = new URL(request.url);
    const isAsked = url.pathname === '/authorize' && request.headers.has('cookie');
    if (isAsked && url.searchParams.get('prompt') === 'consent')
      return html(`<form method="post" action="/consent${url.search.replaceAll('&', '&amp;')}">${fields}</form>`);
    if (request.method === 'POST' && url.pathname !== '/token') {
      const isAgreed = agrees(new URLSearchParams(await request.text()), url.pathname);
      const refused = `${url.searchParams.get('redirect_uri')}?error=access_denied`;
      return lead(posted, isAgreed ? `/resume${url.search}` : refused);
    }
    if (url.pathname !== '/resume') return small.transport(request);
    url.pathname = '/authorize';
    const answer = await small.transport(new Request(url, { headers: request.headers }));
    return lead(resumed, answer.headers.get('location') ?? '/');
  }
  const controls = CATALOGUE.filter(({ id }) => id === control);
  const [finding] = await assessAll({ ...small, transport }, { ...VERDICTS_ALONE, controls });
  return finding?.verdict;
}

test.each([
  [303, 307, 'passed'],
  [307, 302, 'failed'],
])('a form answered with %i, and a GET with %i, is %s', async (posted, resumed, kind) => {
  const verdict = await judge('redirect-303', { fields: '<button>Allow</button>', statuses: [posted, resumed] });
  expect(verdict).toMatchObject({ kind });
});

/** A page of consent, and how its server reads the answer. A script changes the first two before they are sent. */
const BY_SCRIPT: Record<string, ConsentServer> = {
  'changes a field': {
    fields:
      '<input type="hidden" name="user_oauth_approval" value="true"><input type="submit" value="Authorize">' +
      '<input name="deny" value="Deny" type="submit" onclick="this.form.user_oauth_approval.value=false">',
    agrees: (fields) => fields.get('user_oauth_approval') === 'true',
  },
  'fills a field': {
    fields:
      '<input type="hidden" name="decision" value="allow"><button>Allow</button>' +
      '<button onclick="this.form.decision.value=\'deny\'">Deny</button>',
    agrees: (fields) => fields.get('decision') === 'allow',
  },
};

const DENIED: ConsentServer = {
  fields: '<button>Allow</button><button name="deny">Deny</button>',
  agrees: (fields) => !fields.has('deny'),
};

test.each(Object.entries(BY_SCRIPT))('a button to decline that %s by a script is not pressed', async (_, server) => {
  expect(await judge('user-consent', server)).not.toMatchObject({ reason: expect.stringContaining('declined') });
});

test('a refusal by a button is respected or not', async () => {
  expect(await judge('user-consent', DENIED)).toMatchObject({ kind: 'passed' });
  expect(await judge('user-consent', { ...DENIED, agrees: () => true })).toMatchObject({
    kind: 'failed',
    reason: 'A person declined, and the server gave a code.',
  });
});
