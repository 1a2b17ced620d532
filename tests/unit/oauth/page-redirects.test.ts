import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import type { Transport } from '@/lib/oauth/assessment/target';
import { CATALOGUE } from '@/lib/oauth/controls/catalogue';
import { assessAll } from '@/tests/fixtures/assess-all';
import { type SmallServerOptions, smallServer } from '@/tests/fixtures/small-server';

// Servers that send the browser back by a page, a script or JSON, and those whose pages are of another program.

type Habit = (request: Request, send: Transport) => Promise<Response>;

async function judge(control: string, habit: Habit, options: SmallServerOptions = {}) {
  const target = smallServer(options);
  const [finding] = await assessAll(
    { ...target, transport: (request) => habit(request, (own) => target.transport(own)) },
    {
      clock: () => performance.now(),
      sleep: async () => undefined,
      random: (length: number) => randomBytes(length),
      controls: CATALOGUE.filter(({ id }) => id === control),
    },
  );
  return finding?.verdict;
}

const showPage = (body: string) =>
  new Response(`<!doctype html><title>Going back</title>${body}`, { headers: { 'content-type': 'text/html' } });

/** Answers in another way than by a redirect. */
const sendBy =
  (write: (location: string) => Response): Habit =>
  async (request, send) => {
    const answer = await send(request);
    const location = answer.headers.get('location');
    return location === null ? answer : write(location);
  };

const WAYS = {
  'a refresh': (location: string) =>
    showPage(`<meta http-equiv="refresh" content="0;url=${location.replaceAll('&', '&amp;')}">`),
  'a script': (location: string) => showPage(`<script>window.location.replace(${JSON.stringify(location)})</script>`),
  JSON: (location: string) => Response.json({ redirectTo: location }),
};

test.each(Object.entries(WAYS))('%s takes the browser back', async (_, write) => {
  for (const control of ['code-single-use', 'strict-redirect-uri', 'pkce-verified', 'response-type-code'])
    expect(await judge(control, sendBy(write)), control).toMatchObject({ kind: 'passed' });
  expect(await judge('form-post', sendBy(write))).toMatchObject({ kind: 'not_applicable' });
  const undoCode = (location: string) => write(location.replace('state=', 'state=x'));
  expect(await judge('state-intact', sendBy(undoCode))).toMatchObject({ kind: 'failed' });
});

test.each(['a refresh', 'a script'] as const)(
  '%s with an error to an unregistered address is an open redirect',
  async (way) => {
    const control = 'no-open-redirect-on-error';
    expect(await judge(control, sendBy(WAYS[way]))).toMatchObject({ kind: 'passed' });
    expect(await judge(control, sendBy(WAYS[way]), { errorsGoAnywhere: true })).toMatchObject({ kind: 'failed' });
  },
);

test('a button that declines is no answer', async () => {
  const decline = (location: string) => {
    const script = `onclick="location.href='${location.replace(/code=[^&]*/, 'error=access_denied')}'"`;
    return showPage(`<form method="post"><input name="code"><button>Go on</button></form><script>${script}</script>`);
  };
  expect(await judge('state-intact', sendBy(decline))).toMatchObject({ kind: 'inconclusive' });
});

test('a page of another program on the same machine asks for consent', async () => {
  const { origin } = new URL(smallServer().issuer);
  const askElsewhere: Habit = async (request, send) => {
    const { pathname, searchParams, port } = new URL(request.url);
    if (port === '3000' && request.method === 'GET')
      return showPage(
        `<form method="post" action="/agree"><input type="hidden" name="back" value="${searchParams.get('back')?.replaceAll('&', '&amp;')}"><button>Allow</button></form>`,
      );
    if (port === '3000') {
      const back = new URLSearchParams(await request.text()).get('back') ?? '';
      return new Response(null, { status: 303, headers: { location: back } });
    }
    const isAsked = pathname === '/authorize' && request.headers.has('cookie') && !searchParams.has('agreed');
    if (!isAsked) {
      const url = new URL(request.url);
      url.searchParams.delete('agreed');
      return send(new Request(url, request));
    }
    const back = `${request.url}&agreed=1`;
    const location = `${origin}:3000/consent?${new URLSearchParams({ back })}`;
    return new Response(null, { status: 302, headers: { location } });
  };
  expect(await judge('code-single-use', askElsewhere)).toMatchObject({ kind: 'passed' });
});
