import { compareAuthorizations } from '@/lib/oauth/assessment/comparison';
import { readParameters } from '@/lib/oauth/assessment/outcomes';
import {
  CannotProbe,
  createFailed,
  createInconclusive,
  createLesserFailure,
  createNotApplicable,
  createPassed,
} from '@/lib/oauth/assessment/verdict';
import { type Control, defineControl } from '@/lib/oauth/controls/control';
import { compareRedemption } from '@/lib/oauth/controls/patterns';
import { decodeClaims } from '@/lib/oauth/controls/token-parts';

/** Every character that a state may contain (VSCHAR, RFC 6749 appendix A.5). */
const VSCHARS = Array.from({ length: 0x7e - 0x20 + 1 }, (_, at) => String.fromCharCode(0x20 + at)).join('');

/** Controls for the authorization response and its link to the request (RFC 9207, RFC 9700 section 4.7). */
export const RESPONSES: readonly Control[] = [
  defineControl({
    id: 'require-state',
    title: 'The flow is protected against CSRF: state, PKCE or a nonce',
    wrong: 'The flow is open to CSRF: no state, PKCE or nonce is required',
    severity: 'high',
    area: 'authorization',
    source: ['RFC 9700 2.1', 'RFC 9700 4.7', 'RFC 6749 10.12'],
    oauch: 'StatePresentTest',
    switchable: true,
    needs: ['client'],
    protectsFrom: "A victim's browser is made to finish a flow that the attacker started.",
    tries: {
      'without state, PKCE and nonce': 'RFC 9700 4.7',
      'a state with special characters': 'RFC 6749 4.1.2',
    },
    async probe(probe) {
      const state = 'A b+c%20&d=\'<>/?"';
      const good = await probe.requireAccepted();
      const fields = { state: null, nonce: null, code_challenge: null, code_challenge_method: null };
      const bare = await probe.authorize('Without state, PKCE and nonce', fields, { without: ['require-pkce'] });
      const echoed = await probe.authorize('A state with special characters', { state });
      return { bare: await compareRedemption(probe, good, bare), sent: state, echoed };
    },
    rule({ bare, sent, echoed }) {
      if (bare.kind === 'accepted') return createFailed('A request without state, PKCE and nonce was accepted.');
      if (echoed.kind === 'granted' && echoed.parameters.state !== sent)
        return createFailed('The state came back altered.');
      if (bare.kind === 'undecided') return createInconclusive(`Undecided: ${bare.why}.`);
      return echoed.kind === 'granted'
        ? createPassed('An unprotected request was refused; the state came back byte for byte.')
        : createPassed('An unprotected request was refused.');
    },
  }),
  defineControl({
    id: 'state-intact',
    title: 'A long state comes back whole',
    wrong: 'A long state comes back altered, or is refused',
    severity: 'medium',
    area: 'authorization',
    source: ['RFC 6749 4.1.2', 'RFC 6749 A.5'],
    switchable: false,
    needs: ['client', 'login'],
    protectsFrom: 'A client cannot recognise its own response, and its CSRF protection is switched off.',
    tries: { 'a state of 512 characters': 'RFC 6749 A.5', 'a request that must be refused': 'RFC 6749 4.1.2.1' },
    async probe(probe) {
      const sent = VSCHARS.repeat(6).slice(0, 512);
      const good = await probe.requireAccepted();
      const outcome = await probe.authorize('A state of 512 characters', { state: sent });
      const fields = { state: sent, response_type: 'nothing_known' };
      const refused = await probe.authorize('A request that must be refused', fields);
      const error = refused.kind === 'error' && refused.redirectedTo !== null ? refused.parameters : null;
      return { sent, outcome, compared: compareAuthorizations(good, outcome), error };
    },
    rule({ sent, outcome, compared, error }) {
      if (compared.kind === 'refused' && outcome.kind === 'page')
        return createFailed(`A long state is refused: ${compared.how}.`);
      if (outcome.kind === 'page') return createInconclusive('The server shows a page: no response came back.');
      if (outcome.kind === 'error') return createFailed(`A long state is refused: ${outcome.error ?? 'an error'}.`);
      if (outcome.parameters.state !== sent)
        return createFailed(`Of 512 characters ${outcome.parameters.state?.length ?? 0} came back.`);
      return error === null || error.state === sent
        ? createPassed('512 characters came back byte for byte.')
        : createLesserFailure('low', 'An error came back with another state, or without.');
    },
  }),
  defineControl({
    id: 'issuer-in-response',
    title: 'The authorization response names its issuer',
    wrong: 'The authorization response does not name its issuer',
    severity: 'low',
    area: 'authorization',
    source: ['RFC 9207 2'],
    switchable: true,
    needs: ['client', 'login'],
    protectsFrom: 'A client of several servers sends the code of one to another (mix-up).',
    tries: {
      'a valid request': 'RFC 9207 2',
      'a request that must be refused': 'RFC 9207 2',
    },
    async probe(probe) {
      const granted = await probe.authorize('A valid request');
      const refused = await probe.authorize('A request that must be refused', { response_type: 'nothing_known' });
      const error = refused.kind === 'error' && refused.redirectedTo !== null ? refused.parameters : null;
      return {
        issuer: (await probe.fetchServerMetadata()).issuer ?? (probe.target.issuer || null),
        success: granted.kind === 'granted' ? granted.parameters : null,
        error,
      };
    },
    rule({ issuer, success, error }) {
      if (success !== null && success.iss === undefined) return createFailed('A successful response names no issuer.');
      if (issuer === null) return createInconclusive('Nothing says what the issuer is.');
      if (success !== null && success.iss !== issuer) {
        return createFailed('A successful response does not carry the issuer of the metadata.');
      }
      if (error !== null && error.iss !== issuer) return createFailed('An error does not carry the issuer.');
      if (success === null) return createInconclusive('No successful response was seen.');
      return createPassed(
        error === null
          ? 'The response carries the issuer; errors are not sent back.'
          : 'Success and error carry the issuer.',
      );
    },
  }),
  defineControl({
    id: 'nonce-returned',
    title: 'The nonce comes back in the ID token',
    wrong: 'The nonce is missing in the ID token',
    severity: 'medium',
    area: 'authorization',
    source: ['OpenID Connect Core 3.1.3.7'],
    oauch: 'NoncePresentInTokenTest',
    switchable: false,
    needs: ['client', 'login'],
    protectsFrom: "An ID token of another session is injected into the victim's.",
    tries: {
      'ask for a code': 'OpenID Connect Core 3.1.3.7',
      'redeem the code before the last': 'OpenID Connect Core 2',
    },
    async probe(probe) {
      // 64 characters, which FAPI 2.0 Security Profile section 5.3.2.2 (14) requires servers to support.
      const nonce = probe.generateRandomText(48);
      const grant = await probe.requestCode({ nonce });
      // The nonce belongs to its code, not to the browser or the client.
      await probe.requestCode({ nonce: probe.generateRandomText(48) });
      const outcome = await probe.redeem('Redeem the code before the last', grant);
      // Some servers end a code when they issue the next.
      const { idToken } = outcome.kind === 'issued' ? outcome.tokens : await probe.runCodeFlow({ nonce });
      if (idToken === null) throw new CannotProbe('not_applicable', 'The server issues no ID token.');
      return { nonce, seen: decodeClaims(idToken).nonce };
    },
    rule({ nonce, seen }) {
      return seen === nonce
        ? createPassed('The ID token carries the nonce.')
        : createFailed('The ID token does not carry the nonce.');
    },
  }),
  defineControl({
    id: 'fragment-fix',
    title: 'A redirect hands no fragment on',
    wrong: 'The response to a code request travels in the fragment',
    severity: 'low',
    area: 'authorization',
    source: ['RFC 6749 4.1.2', 'RFC 9700 4.1.3'],
    oauch: 'FragmentFixTest',
    switchable: false,
    needs: ['client', 'login'],
    protectsFrom: 'What stands in the fragment travels on to wherever the client redirects next.',
    tries: { 'a valid request': 'RFC 6749 4.1.2' },
    async probe(probe) {
      const outcome = await probe.authorize('A valid request');
      if (outcome.kind !== 'granted') throw new CannotProbe('inconclusive', 'No successful response was seen.');
      const location = outcome.sentTo;
      if (location === null) throw new CannotProbe('not_applicable', 'The server answers without a redirect.');
      return new URL(location).hash;
    },
    rule(hash) {
      if (new URLSearchParams(hash.slice(1)).has('code')) return createFailed('The code stands in the fragment.');
      return hash === ''
        ? createNotApplicable('The address has no fragment of its own, and need not: nothing is issued in fragments.')
        : createPassed('The address ends in a fragment of its own.');
    },
  }),
  defineControl({
    id: 'form-post',
    title: 'Responses can be posted',
    wrong: 'form_post is advertised and not done',
    severity: 'info',
    area: 'authorization',
    source: ['OAuth 2.0 Form Post Response Mode 2', 'RFC 9700 4.3.1'],
    oauch: 'SupportsPostResponseModeTest',
    switchable: false,
    needs: ['client', 'login'],
    protectsFrom: 'Codes stand in addresses, histories and logs.',
    tries: { 'response_mode=form_post': 'OAuth 2.0 Form Post Response Mode 2' },
    async probe(probe) {
      const { response_modes_supported: modes } = await probe.fetchServerMetadata();
      const offered = Array.isArray(modes) && modes.includes('form_post');
      await probe.requireAccepted();
      const outcome = await probe.authorize('response_mode=form_post', { response_mode: 'form_post' });
      if (outcome.kind !== 'granted') return { offered, outcome, posted: false };
      const isInAddress = 'code' in readParameters(outcome.sentTo ?? '');
      return { offered, outcome, posted: !isInAddress };
    },
    rule({ offered, outcome, posted }) {
      if (posted) return createPassed('The response is posted.');
      if (!offered) return createNotApplicable('The server does not offer form_post.');
      if (outcome.kind === 'page') return createInconclusive('The server shows a page: no response came back.');
      return createFailed('form_post is advertised and not done.');
    },
  }),
];
