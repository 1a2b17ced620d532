import { responseHeader } from '@/lib/oauth/assessment/exchange';
import { parametersOf, redirectOf } from '@/lib/oauth/assessment/outcomes';
import { failed, inconclusive, notApplicable, passed, passedIf } from '@/lib/oauth/assessment/verdict';
import { controlsIn, defineControl } from '@/lib/oauth/controls/control';

/** The pages that a browser is shown (RFC 9700 sections 4.2, 4.15 and 4.16). */
export const PAGES = controlsIn('authorization', [
  defineControl({
    id: 'user-consent',
    title: "A browser gets no code without the user's consent",
    severity: 'medium',
    source: ['RFC 9700 4.15'],
    oauch: 'RequireUserConsentTest',
    protectsFrom: 'A page that the user merely visits silently obtains access.',
    async probe(probe) {
      const exchange = await probe.browse('A browser asks');
      const target = redirectOf(exchange) ?? '';
      const silent = target.startsWith(probe.target.client.redirectUri) && 'code' in parametersOf(target);
      return { status: exchange.response.status, silent };
    },
    rule({ status, silent }) {
      if (silent) return failed('A code was issued without asking.');
      if (status >= 200 && status < 300) return passed('A page asked the user.');
      return inconclusive('The server neither asked nor issued a code: is a session needed?');
    },
  }),
  defineControl({
    id: 'frame-protection',
    title: 'The authorization page cannot be framed',
    severity: 'medium',
    source: ['RFC 9700 4.16'],
    oauch: 'HasFrameOptionsTest, HasContentSecurityPolicyTest',
    protectsFrom: 'The user is tricked into clicking a button hidden under another page (clickjacking).',
    async probe(probe) {
      const page = await probe.browse('Open the authorization page');
      return redirectOf(page) === null ? page : probe.browse('Open an error page', { client_id: 'no-such-client' });
    },
    rule(page) {
      const policy = responseHeader(page, 'content-security-policy') ?? '';
      const options = responseHeader(page, 'x-frame-options') ?? '';
      const forbids = /frame-ancestors/i.test(policy) || /^(deny|sameorigin)/i.test(options);
      if (forbids) return passed('The page forbids framing.');
      const { status } = page.response;
      if (status >= 300 && status < 400) return notApplicable('No page was shown: the browser was redirected at once.');
      return failed('Neither frame-ancestors nor X-Frame-Options was seen.');
    },
  }),
  defineControl({
    id: 'referrer-policy',
    title: 'Codes do not leak through the Referer header',
    severity: 'low',
    source: ['RFC 9700 4.2.4'],
    oauch: 'ReferrerPolicyEnforcedTest',
    protectsFrom: 'Third parties on the page learn the parameters of the request.',
    probe: (probe) => probe.browse('Open the authorization page'),
    rule(page) {
      const policy = responseHeader(page, 'referrer-policy');
      if (policy === null) return failed('No Referrer-Policy was seen.');
      const last = policy.split(',').at(-1)?.trim() ?? '';
      const strict = /^(no-referrer|same-origin|strict-origin|origin)$/i.test(last);
      return passedIf(strict, `Referrer-Policy is ${last}.`, 'The Referrer-Policy exposes the address.');
    },
  }),
]);
