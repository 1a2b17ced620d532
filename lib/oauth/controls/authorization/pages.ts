import { type Exchange, responseHeader } from '@/lib/oauth/assessment/exchange';
import { parametersOf, redirectOf } from '@/lib/oauth/assessment/outcomes';
import { failed, inconclusive, notApplicable, passed } from '@/lib/oauth/assessment/verdict';
import { type Control, defineControl } from '@/lib/oauth/controls/control';

const protection = (page: Exchange) => ({
  status: page.response.status,
  policy: responseHeader(page, 'content-security-policy') ?? '',
  options: responseHeader(page, 'x-frame-options') ?? '',
});

/** The pages that a browser is shown (RFC 9700 sections 4.2, 4.15 and 4.16). */
export const PAGES: readonly Control[] = [
  defineControl({
    id: 'user-consent',
    title: "A browser gets no code without the user's consent",
    severity: 'medium',
    area: 'authorization',
    source: ['RFC 9700 4.15'],
    oauch: 'RequireUserConsentTest',
    switchable: true,
    protectsFrom: 'A page that the user merely visits silently obtains access.',
    async probe(probe) {
      const { redirectUri } = probe.target.client;
      const exchange = await probe.browse('A browser asks', probe.authorizationParameters());
      const target = redirectOf(exchange);
      return { status: exchange.response.status, back: target?.startsWith(redirectUri) ?? false, target };
    },
    rule({ status, back, target }) {
      if (back && target !== null && 'code' in parametersOf(target)) return failed('A code was issued without asking.');
      if (status >= 200 && status < 300) return passed('A page asked the user.');
      return inconclusive('The server neither asked nor issued a code: is a session needed?');
    },
  }),
  defineControl({
    id: 'frame-protection',
    title: 'The authorization page cannot be framed',
    severity: 'medium',
    area: 'authorization',
    source: ['RFC 9700 4.16'],
    oauch: 'HasFrameOptionsTest, HasContentSecurityPolicyTest',
    switchable: true,
    protectsFrom: 'The user is tricked into clicking a button hidden under another page (clickjacking).',
    async probe(probe) {
      const page = await probe.browse('Open the authorization page', probe.authorizationParameters());
      if (redirectOf(page) === null) return protection(page);
      const unknown = probe.authorizationParameters({ client_id: 'no-such-client' });
      return protection(await probe.browse('Open an error page', unknown));
    },
    rule({ status, policy, options }) {
      if (/frame-ancestors/i.test(policy) || /^(deny|sameorigin)/i.test(options))
        return passed('The page forbids framing.');
      if (status >= 300 && status < 400) return notApplicable('No page was shown: the browser was redirected at once.');
      return failed('Neither frame-ancestors nor X-Frame-Options was seen.');
    },
  }),
  defineControl({
    id: 'referrer-policy',
    title: 'Codes do not leak through the Referer header',
    severity: 'low',
    area: 'authorization',
    source: ['RFC 9700 4.2.4'],
    oauch: 'ReferrerPolicyEnforcedTest',
    switchable: true,
    protectsFrom: 'Third parties on the page learn the parameters of the request.',
    async probe(probe) {
      const page = await probe.browse('Open the authorization page', probe.authorizationParameters());
      return responseHeader(page, 'referrer-policy');
    },
    rule(policy) {
      if (policy === null) return failed('No Referrer-Policy was seen.');
      const strict = /^(no-referrer|same-origin|strict-origin|origin)$/i;
      const last = policy.split(',').at(-1)?.trim() ?? '';
      return strict.test(last)
        ? passed(`Referrer-Policy is ${last}.`)
        : failed('The Referrer-Policy exposes the address.');
    },
  }),
];
