'use client';

import { CircleCheck, CircleX, ShieldAlert, ShieldCheck, ShieldQuestion, TriangleAlert } from 'lucide-react';
import { formatDuration } from '@/components/format/duration';
import { useNow } from '@/components/format/use-now';
import { SourceLinks } from '@/components/oauth/source-links';
import { Alert } from '@/components/ui/alert';
import { cn } from '@/components/ui/cn';
import type { ExplainedClaim, Remark, SignatureFinding, TokenAnalysis } from '@/lib/oauth/builder/analyze-token';

const SIGNATURES = {
  verified: { icon: ShieldCheck, title: 'Signature verified', looks: 'bg-success-soft text-success-text' },
  invalid: { icon: ShieldAlert, title: 'Signature not valid', looks: 'bg-destructive-soft text-destructive-text' },
  unverified: { icon: ShieldQuestion, title: 'Signature not checked', looks: 'bg-muted text-foreground' },
} as const;

const REMARKS = {
  good: { icon: CircleCheck, looks: 'text-success-text', name: 'Good' },
  warning: { icon: TriangleAlert, looks: 'text-warning-text', name: 'Warning' },
  bad: { icon: CircleX, looks: 'text-destructive-text', name: 'Bad' },
} as const;

function Signature({ signature }: { signature: SignatureFinding }) {
  const { icon: Icon, title, looks } = SIGNATURES[signature.state];
  return (
    <div className={cn('flex items-start gap-2 rounded-md px-3 py-2 text-sm', looks)}>
      <Icon aria-hidden className="mt-0.5 size-4 shrink-0" />
      <p>
        <span className="font-medium">{title}.</span> {signature.reason}
      </p>
    </div>
  );
}

/** How long until a token ends, counting down. */
function Countdown({ seconds }: { seconds: number }) {
  const now = useNow();
  if (now === null) return null;
  const left = Math.ceil(seconds - now / 1000);
  return left > 0 ? (
    <span className="font-medium tabular-nums">
      Ends in{' '}
      {left < 3600 ? `${Math.floor(left / 60)} min ${String(left % 60).padStart(2, '0')} s` : formatDuration(left)}.
    </span>
  ) : (
    <span className="font-medium text-destructive-text">Ended {formatDuration(-left)} ago.</span>
  );
}

function Claim({ claim, ends }: { claim: ExplainedClaim; ends: number | null }) {
  // What was true of the time when the token came is told by the countdown instead.
  const meaning = ends === null ? claim.meaning : 'When the token ends.';
  return (
    <div className="grid gap-x-4 border-b py-1.5 last:border-0 sm:grid-cols-[7rem_1fr]">
      <dt dir="ltr" className="font-mono text-xs font-medium wrap-anywhere">
        {claim.name}
      </dt>
      <dd className="min-w-0 text-xs">
        <code dir="ltr" className="line-clamp-4 font-mono wrap-anywhere">
          {claim.value}
        </code>
        <span className="text-muted-foreground">{meaning}</span> {ends === null ? null : <Countdown seconds={ends} />}
      </dd>
    </div>
  );
}

function RemarkLine({ remark }: { remark: Remark }) {
  const { icon: Icon, looks, name } = REMARKS[remark.level];
  return (
    <li className="flex items-start gap-2 text-xs">
      <Icon aria-label={name} className={cn('mt-px size-4 shrink-0', looks)} />
      <span>
        {remark.text}{' '}
        <span className="whitespace-nowrap text-muted-foreground">
          <SourceLinks sources={[remark.source]} />
        </span>
      </span>
    </li>
  );
}

/** Whether the signature holds, what each claim means, and what RFC 9068 and RFC 8725 say. */
export function TokenAnalysisView({ analysis }: { analysis: TokenAnalysis }) {
  const { decoded, claims, signature, remarks } = analysis;
  const exp = decoded.kind === 'jwt' ? decoded.payload.value?.exp : undefined;
  const ends = typeof exp === 'number' && Number.isFinite(exp) ? exp : null;
  return (
    <section aria-label="Token analysis" className="flex min-w-0 flex-col gap-4">
      <h3 className="text-sm font-medium">Token analysis</h3>
      <Signature signature={signature} />
      {claims.length > 0 ? (
        <dl>
          {claims.map((claim) => (
            <Claim key={claim.name} claim={claim} ends={claim.name === 'exp' ? ends : null} />
          ))}
        </dl>
      ) : null}
      {remarks.length > 0 ? (
        <div>
          <h4 className="mb-2 text-sm font-medium">What the specifications say</h4>
          <ul className="flex flex-col gap-1.5">
            {remarks.map((remark) => (
              <RemarkLine key={remark.source + remark.text} remark={remark} />
            ))}
          </ul>
        </div>
      ) : null}
      {decoded.kind === 'too_long' ? <Alert variant="warning">No server would issue a token this long.</Alert> : null}
    </section>
  );
}
