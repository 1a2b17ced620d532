import { useCallback, useMemo } from 'react';
import { CopyButton } from '@/components/format/copy-button';
import { readFields } from '@/components/oauth/builder/builder-state';
import { useBuilder } from '@/components/oauth/builder/use-builder';
import { useLab } from '@/components/oauth/lab-context';
import { SafeText } from '@/components/oauth/safe-text';
import { ColouredToken } from '@/components/oauth/token/coloured-token';
import { ExplainedPart } from '@/components/oauth/token/explained-part';
import { JudgementCard } from '@/components/oauth/token/judgement-card';
import { SignatureResult } from '@/components/oauth/token/signature-result';
import { TokenProblems } from '@/components/oauth/token/token-problems';
import { UnreadableToken } from '@/components/oauth/token/unreadable-token';
import { useJudgement } from '@/components/oauth/token/use-judgement';
import { usePromised } from '@/components/oauth/token/use-promised';
import { detectTokenUse } from '@/lib/oauth/token/judge-token';
import { readKeys } from '@/lib/oauth/token/read-keys';
import { readToken, type SignedToken } from '@/lib/oauth/token/read-token';

/** Verdicts collapsed at first, so that the claims stay visible. */
const FOLDED = ['passed', 'not_applicable'] as const;

/** Decodes a token of the flow, verifies it with the lab's keys, and judges it. */
export function TokenView({ token, label }: { token: string; label: string }) {
  const reading = useMemo(() => readToken(token), [token]);
  return (
    <section aria-label="Token analysis" className="@container flex flex-col gap-3">
      <div className="flex items-center justify-between gap-2">
        <h3 className="text-sm font-medium">{label}</h3>
        <CopyButton value={token} label={`Copy ${label.toLowerCase()}`} />
      </div>
      {reading.kind === 'signed' ? (
        <JudgedToken reading={reading} label={label} />
      ) : (
        <>
          <SafeText label={label} text={token} className="max-h-24" />
          <UnreadableToken reading={reading} />
        </>
      )}
    </section>
  );
}

function JudgedToken({ reading, label }: { reading: SignedToken; label: string }) {
  const { issuer, audience, keys } = useLab();
  const { client_id = '' } = readFields(useBuilder().state, 'authorize');
  const read = usePromised(useCallback(() => readKeys(JSON.stringify(keys)), [keys]));
  const expected = { issuer, audience: detectTokenUse(reading) === 'ID token' ? client_id : audience };
  const { signature, judgements, use } = useJudgement(reading, read?.ok ? read.keys : null, expected);
  return (
    <>
      <ColouredToken token={reading.token} label={label} />
      <TokenProblems reading={reading} />
      {signature === null ? null : <SignatureResult finding={signature} />}
      <div className="grid items-start gap-3 @3xl:grid-cols-2">
        <JudgementCard judgements={judgements} use={use} folded={FOLDED} />
        <div className="flex min-w-0 flex-col gap-3">
          <ExplainedPart kind="payload" title="Claims" part={reading.payload} />
          <ExplainedPart kind="header" title="Header" part={reading.header} />
        </div>
      </div>
    </>
  );
}
