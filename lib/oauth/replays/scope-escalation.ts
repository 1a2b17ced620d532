import { codeOf, tokensOf, wasAccepted, wasGranted, wasIssued } from '@/lib/oauth/replays/outcomes';
import type { Replay } from '@/lib/oauth/replays/replay';
import { succeeded } from '@/lib/oauth/replays/stage';

/** The attack "Scope escalation". */
export const scopeEscalation: Replay = {
  id: 'scope-escalation',
  title: 'Scope escalation',
  story: 'A client asks for more than it was registered for, or uses a token for more than was granted.',
  source: ['RFC 6749 3.3', 'RFC 6750 3.1'],
  defences: ['scope-limits', 'scope-enforced'],
  async play(stage) {
    const { scope, resource } = stage.probe.target;
    const authorization = await stage.act(
      'client',
      'authorization server',
      'Asks for the scope admin, which it does not have',
      (probe) => probe.authorize('A scope too many', { scope: `${scope} admin` }),
      wasGranted,
    );
    const code = codeOf(authorization);
    if (code !== null && authorization.kind === 'granted') {
      const { verifier } = authorization;
      const redeem = await stage.act(
        'client',
        'authorization server',
        'Redeems the code',
        (probe) => probe.redeem('Redeem the code', { code, verifier }),
        wasIssued,
      );
      if (tokensOf(redeem)?.scope?.split(' ').includes('admin'))
        return succeeded('The client has a token for the scope admin.');
    }
    const needed = resource?.scope ?? null;
    const less = scope.split(' ').filter((one) => one !== needed);
    if (needed === null || less.length === 0) return stage.blocked('The scope was not granted.');
    const tokens = await stage.act(
      'client',
      'authorization server',
      `Gets a token without the scope ${needed}`,
      (probe) => probe.flow({ scope: less.join(' ') }),
      () => true,
    );
    const text = `Reads what needs the scope ${needed}`;
    const { accepted } = await stage.act(
      'client',
      'resource server',
      text,
      (probe) => probe.presentToken(text, tokens.accessToken),
      wasAccepted,
    );
    return accepted ? succeeded(`The data was read without the scope ${needed}.`) : stage.blocked('The scope decides.');
  },
};
