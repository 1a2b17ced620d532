import { tokensOf, wasAccepted, wasIssued } from '@/lib/oauth/replays/outcomes';
import type { Replay } from '@/lib/oauth/replays/replay';
import { succeeded } from '@/lib/oauth/replays/stage';

/** The attack "Refresh token theft". */
export const refreshTokenTheft: Replay = {
  id: 'refresh-token-theft',
  title: 'Refresh token theft',
  story: 'A refresh token that was stolen from the client is used after the client has used it.',
  source: ['RFC 9700 4.14'],
  defences: ['refresh-rotation'],
  async play(stage) {
    const { refreshToken } = await stage.act(
      'client',
      'authorization server',
      'Gets a refresh token',
      (probe) => probe.flowWithRefresh(),
      () => true,
    );
    stage.tell('client', 'attacker', 'The refresh token is stolen');
    const refresh = (from: 'client' | 'attacker', text: string) =>
      stage.act(from, 'authorization server', text, (probe) => probe.refresh(text, refreshToken), wasIssued);
    await refresh('client', 'Refreshes, as it does every few minutes');
    const tokens = tokensOf(await refresh('attacker', 'Uses the stolen token'));
    if (tokens === null) return stage.blocked('The token was used already, and its family is ended.');
    const text = "Reads the victim's data";
    const { accepted } = await stage.act(
      'attacker',
      'resource server',
      text,
      (probe) => probe.presentToken(text, tokens.accessToken),
      wasAccepted,
    );
    return accepted
      ? succeeded('The theft goes unnoticed, for as long as the token lives.')
      : stage.blocked('The token was refused.');
  },
};
