import { describe, expect, it } from 'vitest';
import { SecretFinder } from '@/lib/logging/secret-finder';
import { EvidenceSecrets } from '@/lib/oauth/assessment/evidence-secrets';
import type { Exchange } from '@/lib/oauth/assessment/exchange';
import { listPageRedirects } from '@/lib/oauth/assessment/list-page-redirects';
import { isQuestion, isSubmittedByScript, readPage } from '@/lib/oauth/assessment/shown-page';
import { findTokens } from '@/lib/oauth/token/find-tokens';
import { readBase64url } from '@/lib/oauth/token/read-base64url';

const LONG = 1_000_000;
const fill = (text: string, length = LONG) => text.repeat(length / text.length);
const answer = (body: string): Exchange => ({
  label: 'A page',
  request: { method: 'GET', url: 'https://issuer.example/', headers: [], body: '' },
  response: { status: 200, headers: [], body },
  startedAt: 0,
  durationMs: 1,
});

/** Pages on which a pattern that is not linear takes minutes, or for ever. */
const PAGES: Record<string, string> = {
  'scripts without an end': fill('<script>'),
  'tags of scripts without an end': fill('<script '),
  'tags of refreshes without an end': fill('<meta '),
  'a tag of many refreshes': `<meta ${fill('http-equiv=refresh ')}`,
  'tags of fields without an end': fill('<input '),
  'elements without an end': fill('<noscript>'),
  'an address with many escapes': `<script>location="${fill('\\ ')}`,
  'many addresses': `<script>${fill('location="a')}`,
};

describe.each(Object.entries(PAGES))('a page of %s', (_, body) => {
  it('is read once', () => {
    expect(listPageRedirects(body).length).toBeLessThan(LONG);
    expect([isQuestion({ status: 200, headers: [], body }), isSubmittedByScript(body)]).toEqual([false, false]);
  });
});

describe('the redaction of evidence', () => {
  const redact = (body: string) => {
    const secrets = new EvidenceSecrets({ client: null, otherClient: null, nativeClient: null, cookie: '' });
    secrets.learnFromResponse(answer(body).response);
    return secrets.redactExchange(answer(body)).response.body;
  };

  it('reads an answer once, whatever it is made of', () => {
    expect(redact(`${fill('=', 80_000)}%`)).toContain('====');
  });

  it('hides as many secrets as an answer can hold, although they begin alike', () => {
    const codes = Array.from({ length: 20_000 }, (_, index) => `code=aaaaaaaaaaaa${index}`);
    expect(redact(codes.join('&'))).not.toContain('aaaa');
  });
});

it('a text that needs too many comparisons is hidden as a whole', () => {
  const finder = new SecretFinder();
  for (let index = 0; index < 2_000; index += 1) finder.add(`aaaa${index}b`);
  expect(finder.find(fill('a'))).toEqual([{ start: 0, end: LONG, secret: expect.stringMatching(/^aaaa/) }]);
  expect(finder.find('aaaa7b')).toEqual([{ start: 0, end: 6, secret: 'aaaa7b' }]);
});

it('a page nested more deeply than the stack allows is read', () => {
  const page = readPage(
    answer(
      `<title>Deep</title><form action="/in"><button>${fill('<b>', 90_000)}In${fill('</b>', 90_000)}</button></form>`,
    ),
  );
  expect([page.title, page.forms[0]?.action]).toEqual(['Deep', 'https://issuer.example/in']);
});

it('the token workbench reads a long paste once', () => {
  expect(findTokens(`a ${fill('ey-', 900_000)}`).tokens).toHaveLength(1);
  expect(readBase64url(`${fill('=')}A`).bytes).toBeNull();
});
