import { decodeJwt } from 'jose';
import { CannotProbe, failed, passed } from '@/lib/oauth/assessment/verdict';
import { defineControl } from '@/lib/oauth/controls/control';

export default defineControl({
  id: 'nonce-returned',
  title: 'The nonce comes back in the ID token',
  severity: 'medium',
  area: 'authorization',
  source: ['OpenID Connect Core 3.1.3.7'],
  oauch: 'NoncePresentInTokenTest',
  switchable: false,
  protectsFrom: "An ID token of another session is injected into the victim's.",
  async probe(probe) {
    const nonce = probe.randomText(12);
    const { idToken } = await probe.flow({ nonce });
    if (idToken === null) throw new CannotProbe('not_applicable', 'The server issues no ID token.');
    return { nonce, seen: decodeJwt(idToken).nonce };
  },
  rule({ nonce, seen }) {
    return seen === nonce ? passed('The same nonce was seen.') : failed('The ID token does not carry the nonce.');
  },
});
