import { codeOf, tokensOf, wasGranted, wasIssued } from '@/lib/oauth/replays/outcomes';
import type { Replay } from '@/lib/oauth/replays/replay';
import { succeeded } from '@/lib/oauth/replays/stage';

/** The attack "PKCE downgrade". */
export const pkceDowngradeAttack: Replay = {
  id: 'pkce-downgrade-attack',
  title: 'PKCE downgrade',
  story: 'The attacker takes the challenge out of the request, so that the code that comes of it fits any session.',
  source: ['RFC 9700 4.8'],
  defences: ['require-pkce', 'pkce-downgrade'],
  async play(stage) {
    stage.tell('client', 'victim', 'Sends the browser to the server, with a challenge');
    stage.tell('attacker', 'victim', 'Takes the challenge out of the request');
    const authorization = await stage.act(
      'victim',
      'authorization server',
      'Asks for a code without a challenge',
      (probe) => probe.authorize('The stripped request', { code_challenge: null, code_challenge_method: null }),
      wasGranted,
    );
    const code = codeOf(authorization);
    if (code === null) return stage.blocked('The server gives no code without a challenge.');
    stage.tell('attacker', 'client', 'Puts the code into a session of their own');
    const redemption = await stage.act(
      'client',
      'authorization server',
      'Redeems the code with the verifier of that session',
      (probe) => probe.redeem('Redeem with a verifier', { code, verifier: probe.randomText() }),
      wasIssued,
    );
    if (tokensOf(redemption) === null) return stage.blocked('A verifier does not go with a code without a challenge.');
    return succeeded("The attacker's session now acts as the victim.");
  },
};
