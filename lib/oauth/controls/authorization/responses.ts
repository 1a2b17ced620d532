import { decodeJwt } from 'jose';
import { responseHeader } from '@/lib/oauth/assessment/exchange';
import { parametersOf, redirectOf } from '@/lib/oauth/assessment/outcomes';
import { WITHOUT_PKCE } from '@/lib/oauth/assessment/probe';
import { failed, inconclusive, notApplicable, passed, passedIf, required } from '@/lib/oauth/assessment/verdict';
import { controlsIn, defineControl } from '@/lib/oauth/controls/control';

/** What an authorization response carries (RFC 9207), and the pages that a browser is shown (RFC 9700 section 4). */
export const AUTHORIZATION_RESPONSES = controlsIn('authorization', [
  defineControl('require-state', 'high', 'The flow is protected against CSRF: state, PKCE or a nonce', {
    source: ['RFC 9700 2.1.2', 'RFC 6749 10.12', 'OAuch StatePresentTest'],
    protectsFrom: "A victim's browser is made to finish a flow that the attacker started.",
    async probe(probe) {
      const state = "a b+c%20&d=ü'<>/?";
      const nothing = { state: null, ...WITHOUT_PKCE };
      return {
        bare: await probe.authorize('Without state, PKCE and nonce', nothing, { without: ['require-pkce'] }),
        sent: state,
        echoed: await probe.authorize('A state with special characters', { state }),
      };
    },
    rule({ bare, sent, echoed }) {
      if (bare.kind === 'granted') return failed('A request without state, PKCE and nonce was accepted.');
      if (bare.kind === 'page' || echoed.kind !== 'granted') {
        return inconclusive('No response came back to read the state from.');
      }
      if (echoed.parameters.state !== sent) return failed('The state came back altered.');
      return passed('An unprotected request was refused; the state came back byte for byte.');
    },
  }),
  defineControl('issuer-in-response', 'medium', 'The authorization response names its issuer', {
    source: ['RFC 9207 2'],
    protectsFrom: 'A client of several servers sends the code of one to another (mix-up).',
    async probe(probe) {
      const granted = await probe.authorize('A valid request');
      const refused = await probe.authorize('A request that must be refused', { response_type: 'nothing_known' });
      const parameters = granted.kind === 'granted' ? granted.parameters : null;
      const success = required(parameters, 'No authorization response was seen.');
      const error = refused.kind === 'refused' ? refused.parameters : null;
      return { issuer: (await probe.metadata()).issuer, success, error };
    },
    rule({ issuer, success, error }) {
      if (success.iss !== issuer) return failed('A successful response does not carry the issuer of the metadata.');
      if (error === null || Object.keys(error).length === 0) return inconclusive('No error response was seen.');
      const carried = error.iss === issuer;
      return passedIf(carried, 'Success and error carry the issuer.', 'An error does not carry the issuer.');
    },
  }),
  defineControl('nonce-returned', 'medium', 'The nonce comes back in the ID token', {
    source: ['OpenID Connect Core 3.1.3.7', 'OAuch NoncePresentInTokenTest'],
    protectsFrom: "An ID token of another session is injected into the victim's.",
    async probe(probe) {
      const nonce = probe.randomText(12);
      const { idToken } = await probe.flow({ nonce });
      return decodeJwt(required(idToken, 'The server issues no ID token.', 'not_applicable')).nonce === nonce;
    },
    rule: (returned) => passedIf(returned, 'The ID token carries the nonce.', 'The ID token does not carry the nonce.'),
  }),
  defineControl('user-consent', 'medium', "A browser gets no code without the user's consent", {
    source: ['RFC 9700 4.15', 'OAuch RequireUserConsentTest'],
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
  defineControl('frame-protection', 'medium', 'The authorization page cannot be framed', {
    source: ['RFC 9700 4.16', 'OAuch HasFrameOptionsTest, HasContentSecurityPolicyTest'],
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
  defineControl('referrer-policy', 'low', 'Codes do not leak through the Referer header', {
    source: ['RFC 9700 4.2.4', 'OAuch ReferrerPolicyEnforcedTest'],
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
