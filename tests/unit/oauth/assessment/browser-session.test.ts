import { expect, test } from 'vitest';
import { BrowserSession } from '@/lib/oauth/assessment/browser-session';
import type { Exchange } from '@/lib/oauth/assessment/exchange';

test('a form is posted with the origin of its page, as browsers do', async () => {
  const origins: (string | null)[] = [];
  const send = async (label: string, url: string, init: RequestInit): Promise<Exchange> => {
    const headers = new Headers(init.headers);
    origins.push(headers.get('origin'));
    const request = { method: init.method ?? 'GET', url, headers: [], body: '' };
    return { label, startedAt: 0, durationMs: 0, request, response: { status: 200, headers: [], body: '' } };
  };
  const session = new BrowserSession('https://login.example.com');
  const following = { redirectUri: 'https://app.example.com/callback', agree: false };
  await session.open(send, 'Open', 'https://login.example.com/consent', following);
  const form = { action: 'https://login.example.com/agree', body: new URLSearchParams({ agree: 'yes' }) };
  await session.submit(send, 'Agree', form, null);
  expect(origins).toEqual([null, 'https://login.example.com']);
});
