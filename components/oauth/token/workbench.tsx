import { useState } from 'react';
import { CopyButton } from '@/components/format/copy-button';
import { ColouredToken } from '@/components/oauth/token/coloured-token';
import { ExpectationFields } from '@/components/oauth/token/expectation-fields';
import { ExplainedPart } from '@/components/oauth/token/explained-part';
import { ForgeCard } from '@/components/oauth/token/forge-card';
import { JudgementCard } from '@/components/oauth/token/judgement-card';
import { TokenProblems } from '@/components/oauth/token/token-problems';
import { useJudgement } from '@/components/oauth/token/use-judgement';
import { useKeys } from '@/components/oauth/token/use-keys';
import { VerifyCard } from '@/components/oauth/token/verify-card';
import type { WorkbenchLab } from '@/components/oauth/token/workbench-lab';
import { VerbatimField } from '@/components/oauth/verbatim-field';
import { TitledCard } from '@/components/ui/card';
import { findAlgorithm } from '@/lib/oauth/token/algorithms';
import type { SignedToken } from '@/lib/oauth/token/read-token';

interface WorkbenchProps {
  reading: SignedToken;
  lab: WorkbenchLab | null;
  /** Opens another token. */
  onOpen: (token: string) => void;
  /** Gives the payload that the token leaves out. */
  onPayload: (text: string) => void;
}

/** Shows a signed token: its parts, its signature, its judgement, and what can be forged from it. */
export function Workbench({ reading, lab, onOpen, onPayload }: WorkbenchProps) {
  const claims = reading.payload.members ?? {};
  const isOfLab = lab !== null && claims.iss === lab.issuer;
  const keys = useKeys(lab, claims.iss, findAlgorithm(reading.header.members?.alg)?.kty === 'oct');
  const [issuer, setIssuer] = useState<string | null>(null);
  const [audience, setAudience] = useState<string | null>(null);
  const expected = {
    issuer: issuer ?? (isOfLab ? lab.issuer : ''),
    audience: audience ?? (isOfLab ? lab.audience : ''),
  };
  const readKeys = keys.reading.ok ? keys.reading.keys : null;
  const { signature, guessedSecret, judgements, use } = useJudgement(reading, readKeys, expected);
  return (
    <>
      <div className="grid items-start gap-5 lg:grid-cols-2">
        <div className="flex min-w-0 flex-col gap-5">
          <TitledCard
            title="Raw"
            aside={<CopyButton value={reading.token} label="Copy token" />}
            className="flex flex-col gap-3"
          >
            <ColouredToken token={reading.token} label="Token in colours" />
            <TokenProblems reading={reading} />
            {reading.isDetached ? (
              <VerbatimField
                label="Payload"
                hint="The token leaves it out (detached). Paste exactly the text that was signed."
                multiline
                value={reading.givenPayload ?? ''}
                onChange={onPayload}
              />
            ) : null}
          </TitledCard>
          <ExplainedPart kind="header" title="Header" part={reading.header} />
          <ExplainedPart kind="payload" title="Claims" part={reading.payload} />
        </div>
        <div className="flex min-w-0 flex-col gap-5">
          <VerifyCard keys={keys} hasLab={lab !== null} finding={signature} guessedSecret={guessedSecret} />
          <JudgementCard judgements={judgements} use={use}>
            <ExpectationFields {...expected} onIssuer={setIssuer} onAudience={setAudience} />
          </JudgementCard>
        </div>
      </div>
      <ForgeCard key={reading.token} reading={reading} keys={readKeys ?? []} lab={lab} onOpen={onOpen} />
    </>
  );
}
