import { createServer } from 'node:http';
import { expect, test } from 'vitest';
import { LoopbackVisitor } from '@/cli/assess/loopback-visitor';
import { sharedBrowser } from '@/tests/fixtures/browser';
import { close, listen } from '@/tests/fixtures/listen';

const signal = new AbortController().signal;

test('one window goes through all visits of an assessment from the command line, and says when it is done', async () => {
  // An authorization server at which everybody has signed in and agreed.
  const server = createServer((request, response) => {
    const { searchParams } = new URL(request.url ?? '/', 'http://server.example');
    const separator = searchParams.get('response_mode') === 'fragment' ? '#' : '?';
    const answer = `code=a-code&state=${searchParams.get('state')}`;
    response.writeHead(303, { location: `${searchParams.get('redirect_uri')}${separator}${answer}` }).end();
  });
  const authorize = `http://localhost:${await listen(server)}/authorize`;
  const page = await (await sharedBrowser()).newPage();
  try {
    const opened: string[] = [];
    const visitor = await LoopbackVisitor.listen('http://127.0.0.1/callback', ({ url }) => {
      opened.push(url);
      void page.goto(url);
    });
    const { redirectUri } = visitor;
    const visit = (state: string, mode: string) => {
      const query = new URLSearchParams({ redirect_uri: redirectUri, state, response_mode: mode });
      return visitor.visit({ url: `${authorize}?${query}`, purpose: 'a code', redirectUri }, signal);
    };
    expect(await visit('one', 'query')).toBe(`${redirectUri}?code=a-code&state=one`);
    expect(await visit('two', 'fragment')).toBe(`${redirectUri}#code=a-code&state=two`);
    expect(await visit('three', 'query')).toBe(`${redirectUri}?code=a-code&state=three`);
    expect(opened).toHaveLength(1);
    await Promise.all([page.getByText('Done. You can close this window.').waitFor(), visitor.close()]);
  } finally {
    await page.close();
    await close(server);
  }
});
