import { useQuery } from '@tanstack/react-query';
import { CircleCheck, CircleX, ShieldAlert, ShieldCheck, ShieldQuestion, TriangleAlert } from 'lucide-react';
import { CopyButton } from '@/components/format/copy-button';
import { formatDuration } from '@/components/format/duration';
import { useNow } from '@/components/format/use-now';
import { SourceLinks } from '@/components/oauth/control-labels';
import { useLab } from '@/components/oauth/lab-context';
import { SafeText } from '@/components/oauth/safe-text';
import { Alert } from '@/components/ui/alert';
import { cn } from '@/components/ui/cn';
import { analyzeToken, type TokenAnalysis } from '@/lib/oauth/builder/analyze-token';
import type { DecodedToken } from '@/lib/oauth/builder/decode-token';

export default function TokenView({ token, label }: { token: string; label: string }) {
  const { keys, issuer, audience } = useLab();
  const { data: analysis } = useQuery({
    queryKey: ['token-analysis', token],
    queryFn: () =>
      analyzeToken(token, { now: Date.now(), keys: globalThis.isSecureContext ? keys : null, issuer, audience }),
    networkMode: 'always',
  });
  return (
    <div className="@container">
      <div className="grid gap-x-6 gap-y-4 @3xl:grid-cols-2">
        <div className="col-span-full min-w-0">
          <div className="mb-1 flex items-center justify-between gap-2">
            <h3 className="text-sm font-medium">{label}</h3>
            <CopyButton value={token} label={`Copy ${label.toLowerCase()}`} />
          </div>
          <SafeText label={label} text={token} className="max-h-24" />
        </div>
        {analysis ? <Analysis analysis={analysis} /> : null}
        <div className="flex min-w-0 flex-col gap-3">{analysis ? <Decoded decoded={analysis.decoded} /> : null}</div>
      </div>
    </div>
  );
}

function Decoded({ decoded }: { decoded: DecodedToken }) {
  if (decoded.kind === 'opaque' || decoded.kind === 'too_long') {
    return (
      <p className="text-sm text-muted-foreground">
        {decoded.kind === 'opaque'
          ? 'The token is opaque: it has no readable content.'
          : `The token is ${decoded.length.toLocaleString('en-US')} characters long. It is not decoded.`}
      </p>
    );
  }
  const payload = decoded.kind === 'jwt' ? [{ title: 'Payload', ...decoded.payload }] : [];
  const parts = [{ title: 'Header', ...decoded.header }, ...payload];
  return parts.map(({ title, text, problem }) => (
    <div key={title} className="min-w-0">
      <h3 className="mb-1 text-sm font-medium">{title}</h3>
      <SafeText label={`Token ${title.toLowerCase()}`} text={text} />
      {problem ? <p className="mt-1 text-xs text-warning-text">{problem}</p> : null}
    </div>
  ));
}

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

/** Whether the signature holds, what each claim means, and what RFC 9068 and RFC 8725 say. */
function Analysis({ analysis: { decoded, claims, signature, remarks } }: { analysis: TokenAnalysis }) {
  const { icon: SignatureIcon, title, looks } = SIGNATURES[signature.state];
  const exp = decoded.kind === 'jwt' ? decoded.payload.value?.exp : undefined;
  return (
    <section aria-label="Token analysis" className="flex min-w-0 flex-col gap-4">
      <h3 className="text-sm font-medium">Token analysis</h3>
      <div className={cn('flex items-start gap-2 rounded-md px-3 py-2 text-sm', looks)}>
        <SignatureIcon aria-hidden className="mt-0.5 size-4 shrink-0" />
        <p>
          <span className="font-medium">{title}.</span> {signature.reason}
        </p>
      </div>
      {claims.length > 0 ? (
        <dl>
          {claims.map(({ name, value, meaning }) => {
            // The meaning of `exp` is worded for the moment of the analysis; the countdown stays true.
            const ends = name === 'exp' && typeof exp === 'number' && Number.isFinite(exp) ? exp : null;
            return (
              <div key={name} className="grid gap-x-4 border-b py-1.5 last:border-0 @sm:grid-cols-[5.5rem_1fr]">
                <dt dir="ltr" className="font-mono text-xs font-medium wrap-anywhere">
                  {name}
                </dt>
                <dd className="min-w-0 text-xs">
                  <code dir="ltr" className="line-clamp-4 font-mono wrap-anywhere">
                    {value}
                  </code>
                  <span className="text-muted-foreground">{ends === null ? meaning : 'When the token ends.'}</span>{' '}
                  {ends === null ? null : <Countdown seconds={ends} />}
                </dd>
              </div>
            );
          })}
        </dl>
      ) : null}
      {remarks.length > 0 ? (
        <div>
          <h4 className="mb-2 text-sm font-medium">What the specifications say</h4>
          <ul className="flex flex-col gap-1.5">
            {remarks.map(({ level, text, source }) => {
              const { icon: Icon, ...remark } = REMARKS[level];
              return (
                <li key={source + text} className="flex items-start gap-2 text-xs">
                  <Icon aria-label={remark.name} className={cn('mt-px size-4 shrink-0', remark.looks)} />
                  <span>
                    {text}{' '}
                    <span className="whitespace-nowrap text-muted-foreground">
                      <SourceLinks sources={[source]} />
                    </span>
                  </span>
                </li>
              );
            })}
          </ul>
        </div>
      ) : null}
      {decoded.kind === 'too_long' ? <Alert variant="warning">No server would issue a token this long.</Alert> : null}
    </section>
  );
}

/** Counts down to the end of a token, a Unix time in seconds. */
function Countdown({ seconds }: { seconds: number }) {
  const now = useNow();
  if (now === null) return null;
  const left = Math.ceil(seconds - now / 1000);
  if (left <= 0) return <span className="font-medium text-destructive-text">Ended {formatDuration(-left)} ago.</span>;
  const minutes = `${Math.floor(left / 60)} min ${String(left % 60).padStart(2, '0')} s`;
  const words = left < 3600 ? minutes : formatDuration(left);
  return <span className="font-medium tabular-nums">Ends in {words}.</span>;
}
