import { AUTHORIZATION_REQUESTS } from '@/lib/oauth/controls/authorization/requests';
import { AUTHORIZATION_RESPONSES } from '@/lib/oauth/controls/authorization/responses';
import { CODES } from '@/lib/oauth/controls/code';
import { type Control, type ControlDescription, SEVERITIES } from '@/lib/oauth/controls/control';
import { FORGED_TOKENS } from '@/lib/oauth/controls/resource/forged-tokens';
import { TOKEN_USE } from '@/lib/oauth/controls/resource/token-use';
import { TOKEN_REQUESTS } from '@/lib/oauth/controls/token';
import { TRANSPORT } from '@/lib/oauth/controls/transport';

/** Every control, in the order in which an assessment probes them. */
export const CATALOGUE: readonly Control[] = [
  ...AUTHORIZATION_REQUESTS,
  ...AUTHORIZATION_RESPONSES,
  ...CODES,
  ...TOKEN_REQUESTS,
  ...FORGED_TOKENS,
  ...TOKEN_USE,
  ...TRANSPORT,
];

/** The catalogue without its code, the most severe first: what a page shows. */
export function describeCatalogue(): ControlDescription[] {
  return CATALOGUE.map(({ evaluate: _, ...description }) => description).sort(
    (a, b) => SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity),
  );
}
