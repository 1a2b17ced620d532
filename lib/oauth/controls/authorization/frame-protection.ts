import { type Exchange, responseHeader } from '@/lib/oauth/assessment/exchange';
import { redirectOf } from '@/lib/oauth/assessment/outcomes';
import { failed, notApplicable, passed } from '@/lib/oauth/assessment/verdict';
import { defineControl } from '@/lib/oauth/controls/control';

const protection = (page: Exchange) => ({
  status: page.response.status,
  policy: responseHeader(page, 'content-security-policy') ?? '',
  options: responseHeader(page, 'x-frame-options') ?? '',
});

export default defineControl({
  id: 'frame-protection',
  title: 'The authorization page cannot be framed',
  severity: 'medium',
  area: 'authorization',
  source: ['RFC 9700 4.16'],
  oauch: 'HasFrameOptionsTest, HasContentSecurityPolicyTest',
  switchable: true,
  protectsFrom: 'The user is made to click on a button that is hidden under another page (clickjacking).',
  async probe(probe) {
    const page = await probe.browse('Open the authorization page', probe.authorizationParameters());
    if (redirectOf(page) === null) return protection(page);
    const unknown = probe.authorizationParameters({ client_id: 'nobody-of-this-name' });
    return protection(await probe.browse('Open the page of an error', unknown));
  },
  rule({ status, policy, options }) {
    if (/frame-ancestors/i.test(policy) || /^(deny|sameorigin)/i.test(options))
      return passed('The page forbids framing.');
    if (status >= 300 && status < 400) return notApplicable('No page was shown: the browser was sent on at once.');
    return failed('Neither frame-ancestors nor X-Frame-Options was seen.');
  },
});
