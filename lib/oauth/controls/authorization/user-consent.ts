import { parametersOf, redirectOf } from '@/lib/oauth/assessment/outcomes';
import { failed, inconclusive, passed } from '@/lib/oauth/assessment/verdict';
import { defineControl } from '@/lib/oauth/controls/control';

export default defineControl({
  id: 'user-consent',
  title: 'A browser does not get a code without an answer of the user',
  severity: 'medium',
  area: 'authorization',
  source: ['RFC 9700 4.15'],
  oauch: 'RequireUserConsentTest',
  switchable: true,
  protectsFrom: 'A page that the user merely visits obtains access in silence.',
  async probe(probe) {
    const { redirectUri } = probe.target.client;
    const { exchange, target } = await probe
      .browse('A browser asks', probe.authorizationParameters())
      .then((exchange) => ({ exchange, target: redirectOf(exchange) }));
    return { status: exchange.response.status, back: target?.startsWith(redirectUri) ?? false, target };
  },
  rule({ status, back, target }) {
    if (back && target !== null && 'code' in parametersOf(target)) return failed('A code was given without asking.');
    if (status >= 200 && status < 300) return passed('A page asked the user.');
    return inconclusive('The server neither asked nor gave a code: is a session needed?');
  },
});
