import { decodeJwt } from 'jose';
import { WITHOUT_PKCE } from '@/lib/oauth/assessment/probe';
import { CannotProbe, failed, inconclusive, passed, passedIf, required } from '@/lib/oauth/assessment/verdict';
import { controlsIn, defineControl } from '@/lib/oauth/controls/control';

/** What the response carries, and what ties it to its request (RFC 9207, RFC 9700 section 4.7). */
export const RESPONSES = controlsIn('authorization', [
  defineControl({
    id: 'require-state',
    title: 'The flow is protected against CSRF: state, PKCE or a nonce',
    severity: 'high',
    source: ['RFC 9700 2.1.2', 'RFC 6749 10.12'],
    oauch: 'StatePresentTest',
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
  defineControl({
    id: 'issuer-in-response',
    title: 'The authorization response names its issuer',
    severity: 'medium',
    source: ['RFC 9207 2'],
    protectsFrom: 'A client of several servers sends the code of one to another (mix-up).',
    async probe(probe) {
      const granted = await probe.authorize('A valid request');
      const refused = await probe.authorize('A request that must be refused', { response_type: 'nothing_known' });
      if (granted.kind !== 'granted') throw new CannotProbe('inconclusive', 'No authorization response was seen.');
      const error = refused.kind === 'refused' ? refused.parameters : null;
      return { issuer: (await probe.metadata()).issuer, success: granted.parameters, error };
    },
    rule({ issuer, success, error }) {
      if (success.iss !== issuer) return failed('A successful response does not carry the issuer of the metadata.');
      if (error === null || Object.keys(error).length === 0) return inconclusive('No error response was seen.');
      const carried = error.iss === issuer;
      return passedIf(carried, 'Success and error carry the issuer.', 'An error does not carry the issuer.');
    },
  }),
  defineControl({
    id: 'nonce-returned',
    title: 'The nonce comes back in the ID token',
    severity: 'medium',
    source: ['OpenID Connect Core 3.1.3.7'],
    oauch: 'NoncePresentInTokenTest',
    protectsFrom: "An ID token of another session is injected into the victim's.",
    async probe(probe) {
      const nonce = probe.randomText(12);
      const { idToken } = await probe.flow({ nonce });
      return decodeJwt(required(idToken, 'The server issues no ID token.', 'not_applicable')).nonce === nonce;
    },
    rule: (returned) => passedIf(returned, 'The ID token carries the nonce.', 'The ID token does not carry the nonce.'),
  }),
]);
