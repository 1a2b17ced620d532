import type { VerdictKind } from '@/lib/oauth/assessment/verdict';
import { SEVERITIES, type Severity } from '@/lib/oauth/controls/control';
import { describeControl } from '@/lib/oauth/report/describe-control';

/** A control and its verdict. */
export interface Judged {
  control: string;
  verdict: VerdictKind;
  /** Severity of the failure, if it is not that of the control. */
  severity?: Severity | undefined;
}

/** A control whose failure explains that of others: the same change to the server mends them all. */
interface Explanation {
  control: string;
  /** Controls that must fail too. Only together they show the defect. */
  together: readonly string[];
  explains: readonly string[];
}

const createExplanation = (control: string, others: string, together: readonly string[] = []): Explanation => ({
  control,
  together,
  explains: others.split(' '),
});

/** The broader explanation comes first. An explained control may explain others, without a circle. */
export const EXPLANATIONS: readonly Explanation[] = [
  createExplanation(
    'strict-redirect-uri',
    'redirect-uri-wildcard redirect-uri-scheme redirect-uri-fragment redirect-uri-confusion code-pollution par-redirect-uri',
  ),
  createExplanation('client-unknown', 'no-open-redirect-on-error'),
  // A server that redeems the challenge itself as well as a wrong verifier compares nothing: it has no PKCE.
  createExplanation(
    'pkce-verified',
    'require-pkce pkce-s256 pkce-challenge-syntax pkce-downgrade pkce-method-downgrade pkce-advertised require-state',
    ['pkce-method-downgrade'],
  ),
  createExplanation('require-pkce', 'require-state pkce-downgrade'),
  createExplanation('duplicate-parameters', 'token-duplicate-parameters'),
  createExplanation('frame-protection', 'content-security-policy'),
  createExplanation('code-invented', 'code-single-use code-lifetime'),
  createExplanation('code-single-use', 'code-reuse-revokes code-race'),
  createExplanation('refresh-rotation', 'refresh-reuse-revokes refresh-race'),
  createExplanation(
    'client-authentication',
    'refresh-authentication introspection-authentication revocation-authentication par-authentication credentials-in-uri ' +
      'device-client-authentication token-exchange-authentication',
  ),
  createExplanation('device-approval', 'device-consent device-code-single-use'),
  createExplanation('no-password-grant', 'password-grant-every-client'),
  createExplanation('signature-verified', 'alg-none alg-confusion header-key-ignored kid-unknown'),
  createExplanation('validate-audience', 'audience-exact aud-required token-passthrough'),
  createExplanation('token-expiry', 'exp-required'),
  createExplanation('revocation-effective', 'revocation-cascade'),
  createExplanation('sender-constrained', 'dpop-proof'),
];

/** A defect of the server, with the failed controls that show it. */
export interface Cause {
  /** The control that names it. */
  control: string;
  /** The worst severity of its controls. */
  severity: Severity;
  /** All failed controls that it explains, this one first, then the most severe. */
  controls: string[];
}

/** Groups failed controls by their causes, the most severe cause first. A control that nothing explains is its own. */
export function findCauses(findings: readonly Judged[]): Cause[] {
  const failed = findings.filter(({ verdict }) => verdict === 'failed').map(({ control }) => control);
  const groups = new Map<string, string[]>();
  for (const control of failed) {
    const root = findRoot(control, new Set(failed));
    groups.set(root, [...(groups.get(root) ?? []), control]);
  }
  const own = new Map(findings.map(({ control, severity }) => [control, severity]));
  const rank = (control: string) => SEVERITIES.indexOf(own.get(control) ?? describeControl(control).severity);
  return [...groups]
    .map(([control, controls]): Cause => {
      const sorted = controls.toSorted((a, b) => Number(b === control) - Number(a === control) || rank(a) - rank(b));
      const worst = Math.min(...controls.map(rank));
      return { control, severity: SEVERITIES[worst] ?? 'info', controls: sorted };
    })
    .sort((a, b) => SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity));
}

function findRoot(control: string, failed: ReadonlySet<string>): string {
  const broader = EXPLANATIONS.find(
    (explanation) =>
      explanation.explains.includes(control) &&
      failed.has(explanation.control) &&
      explanation.together.every((other) => failed.has(other)),
  );
  return broader === undefined ? control : findRoot(broader.control, failed);
}
