import { codeOf, tokensOf, wasGranted, wasIssued } from '@/lib/oauth/replays/outcomes';
import type { Replay } from '@/lib/oauth/replays/replay';
import { succeeded } from '@/lib/oauth/replays/stage';

/** The attack "Redirect manipulation". */
export const redirectManipulation: Replay = {
  id: 'redirect-manipulation',
  title: 'Redirect manipulation',
  story: "The victim opens a link to the real server in which the redirect URI is the attacker's.",
  source: ['RFC 9700 4.1'],
  defences: ['strict-redirect-uri', 'redirect-uri-wildcard', 'redirect-uri-scheme'],
  async play(stage) {
    const registered = stage.probe.target.client.redirectUri;
    const { host, pathname } = new URL(registered);
    const links = {
      'an address of the attacker': 'https://attacker.example/collect',
      'a host that begins like the registered value': `${registered}.attacker.example`,
      'the registered address without TLS': `http://${host}${pathname}`,
    };
    for (const [label, redirectUri] of Object.entries(links)) {
      stage.tell('attacker', 'victim', `Sends a link with ${label}`);
      const authorization = await stage.act(
        'victim',
        'authorization server',
        `Opens the link with ${label}`,
        (probe) => probe.authorize(`Redirect to ${label}`, { redirect_uri: redirectUri }),
        wasGranted,
      );
      const code = codeOf(authorization);
      if (code === null || authorization.kind !== 'granted') continue;
      stage.tell('victim', 'attacker', "The browser delivers the code to the attacker's address");
      const { verifier } = authorization;
      const redemption = await stage.act(
        'attacker',
        'authorization server',
        'Redeems the code: the verifier is of their own making',
        (probe) => probe.redeem('Redeem the code', { code, verifier }, { redirect_uri: redirectUri }),
        wasIssued,
      );
      if (tokensOf(redemption) !== null) return succeeded(`The code went to ${label}, and was redeemed.`);
    }
    return stage.blocked('The browser is sent to the registered address only.');
  },
};
