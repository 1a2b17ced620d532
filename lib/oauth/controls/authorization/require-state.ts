import { failed, inconclusive, passed } from '@/lib/oauth/assessment/verdict';
import { defineControl } from '@/lib/oauth/controls/control';

export default defineControl({
  id: 'require-state',
  title: 'The flow is protected against CSRF: state, PKCE or a nonce',
  severity: 'high',
  area: 'authorization',
  source: ['RFC 9700 2.1.2', 'RFC 6749 10.12'],
  oauch: 'StatePresentTest',
  switchable: true,
  protectsFrom: "A victim's browser is made to finish a flow that the attacker began.",
  async probe(probe) {
    const state = "a b+c%20&d=ü'<>/?";
    return {
      bare: await probe.authorize(
        'Neither state nor PKCE nor a nonce',
        { state: null, code_challenge: null, code_challenge_method: null },
        { without: ['require-pkce'] },
      ),
      sent: state,
      echoed: await probe.authorize('A state of special characters', { state }),
    };
  },
  rule({ bare, sent, echoed }) {
    if (bare.kind === 'granted') return failed('A request without state, PKCE and nonce was accepted.');
    if (bare.kind === 'page' || echoed.kind !== 'granted')
      return inconclusive('No answer came back to read the state from.');
    if (echoed.parameters.state !== sent) return failed('The state came back changed.');
    return passed('Without protection the request was refused; a state came back byte for byte.');
  },
});
