import { codeOf, tokensOf, wasGranted, wasIssued } from '@/lib/oauth/replays/outcomes';
import type { Replay } from '@/lib/oauth/replays/replay';
import { succeeded } from '@/lib/oauth/replays/stage';

/** The attack "CSRF on the callback". */
export const callbackCsrf: Replay = {
  id: 'callback-csrf',
  title: 'CSRF on the callback',
  story: "The victim's browser is made to finish a flow that the attacker began, and works in the attacker's account.",
  source: ['RFC 9700 4.7', 'RFC 6749 10.12'],
  defences: ['require-state', 'require-pkce'],
  async play(stage) {
    const bare = { state: null, code_challenge: null, code_challenge_method: null, nonce: null };
    const authorization = await stage.act(
      'attacker',
      'authorization server',
      'Signs in to the client, which sends neither state nor PKCE, and keeps the code',
      (probe) => probe.authorize('Neither state nor PKCE', bare),
      wasGranted,
    );
    const code = codeOf(authorization);
    if (code === null) return stage.blocked('The server does not answer a client without protection.');
    stage.tell('attacker', 'victim', 'A hidden image points to the callback with the code');
    stage.tell('victim', 'client', 'Calls the callback; nothing ties it to a session');
    const redemption = await stage.act(
      'client',
      'authorization server',
      'Redeems the code',
      (probe) => probe.redeem('Redeem the code', { code, verifier: '' }, { code_verifier: null }),
      wasIssued,
    );
    if (tokensOf(redemption) === null) return stage.blocked('The code was not redeemed.');
    return succeeded("The victim's session now belongs to the attacker's account.");
  },
};
