import { useCallback, useState } from 'react';
import { CopyButton } from '@/components/format/copy-button';
import { useNow } from '@/components/format/use-now';
import { ColouredToken } from '@/components/oauth/token/coloured-token';
import { ExpectationFields } from '@/components/oauth/token/expectation-fields';
import { ExplainedPart } from '@/components/oauth/token/explained-part';
import { ForgeCard } from '@/components/oauth/token/forge-card';
import { JudgementCard } from '@/components/oauth/token/judgement-card';
import { useKeys } from '@/components/oauth/token/use-keys';
import { usePromised } from '@/components/oauth/token/use-promised';
import { VerifyCard } from '@/components/oauth/token/verify-card';
import type { WorkbenchLab } from '@/components/oauth/token/workbench-lab';
import { Alert } from '@/components/ui/alert';
import { TitledCard } from '@/components/ui/card';
import { visibleText } from '@/lib/oauth/builder/visible-text';
import { guessSecret } from '@/lib/oauth/token/guess-secret';
import { judgeToken, tokenUse } from '@/lib/oauth/token/judge-token';
import type { SignedToken } from '@/lib/oauth/token/read-token';
import { verifySignature } from '@/lib/oauth/token/verify-signature';

interface WorkbenchProps {
  reading: SignedToken;
  lab: WorkbenchLab | null;
  /** Takes another token apart. */
  onOpen: (token: string) => void;
}

/** A signed token: its parts, its signature, what the specifications say, and what can be forged from it. */
export function Workbench({ reading, lab, onOpen }: WorkbenchProps) {
  const claims = reading.payload.members ?? {};
  const isOfLab = lab !== null && claims.iss === lab.issuer;
  const keys = useKeys(lab, claims.iss);
  const [issuer, setIssuer] = useState<string | null>(null);
  const [audience, setAudience] = useState<string | null>(null);
  const expected = {
    issuer: issuer ?? (isOfLab ? lab.issuer : ''),
    audience: audience ?? (isOfLab ? lab.audience : ''),
  };
  const given = keys.reading.ok ? keys.reading.keys : null;
  const verify = useCallback(
    async () => (given === null || given.length === 0 ? null : verifySignature(reading, given)),
    [reading, given],
  );
  const signature = usePromised(verify);
  const guessedSecret = usePromised(useCallback(() => guessSecret(reading), [reading]));
  const now = useNow();
  const judged = { reading, signature, guessedSecret, now: now ?? 0, tolerance: 5, ...expected };
  return (
    <>
      <div className="grid items-start gap-5 lg:grid-cols-2">
        <div className="flex min-w-0 flex-col gap-5">
          <TitledCard title="Raw" aside={<CopyButton value={reading.token} label="Copy token" />}>
            <ColouredToken token={reading.token} label="Token in colours" />
            <Problems reading={reading} />
          </TitledCard>
          <ExplainedPart kind="header" title="Header" part={reading.header} />
          <ExplainedPart kind="payload" title="Claims" part={reading.payload} />
        </div>
        <div className="flex min-w-0 flex-col gap-5">
          <VerifyCard keys={keys} hasLab={lab !== null} finding={signature} guessedSecret={guessedSecret} />
          <JudgementCard judgements={judgeToken(judged)} use={tokenUse(reading)}>
            <ExpectationFields {...expected} onIssuer={setIssuer} onAudience={setAudience} />
          </JudgementCard>
        </div>
      </div>
      <ForgeCard key={reading.token} reading={reading} keys={given ?? []} lab={lab} onOpen={onOpen} />
    </>
  );
}

function Problems({ reading: { problems } }: { reading: SignedToken }) {
  if (problems.length === 0) return null;
  return (
    <div className="mt-3">
      <Alert
        variant="warning"
        title={problems.length === 1 ? 'It is malformed' : `${problems.length} things are wrong`}
      >
        <ul className="list-disc pl-4">
          {problems.slice(0, 20).map(({ part, at, message }) => (
            <li key={`${at} ${message}`} className="wrap-anywhere">
              {part}, character {at + 1}: {visibleText(message)}
            </li>
          ))}
        </ul>
      </Alert>
    </div>
  );
}
