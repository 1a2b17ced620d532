import { KeyRound, LifeBuoy, RotateCcw, ShieldCheck } from 'lucide-react';
import { CopyButton } from '@/components/format/copy-button';
import { useSubjectActions } from '@/components/identifier/subject-actions';
import { isTarget, type LimitedIdentity, TARGET_LABEL } from '@/components/links/target';
import { ConnectionNote } from '@/components/list/connection-note';
import { PageTitle } from '@/components/shell/page-title';
import { RoleButton } from '@/components/shell/role-button';
import { Badge } from '@/components/ui/badge';
import { Button } from '@/components/ui/button';
import { Link } from '@/components/ui/link';
import { Shortened } from '@/components/ui/shortened';

interface InspectedHeadProps {
  shown: LimitedIdentity;
  /** Name of the API key. */
  name: string | null;
  queries: Parameters<typeof ConnectionNote>[0]['queries'];
}

/** Header of the inspector: the inspected caller and the actions for it, help first, allowlist last. */
export function InspectedHead({ shown, name, queries }: InspectedHeadProps) {
  const actions = useSubjectActions();
  return (
    <div className="flex flex-wrap items-center gap-2">
      {name === null ? null : <PageTitle name={name} />}
      <h2 className="flex min-w-0 items-center gap-1.5 text-base font-semibold">
        <Badge>{TARGET_LABEL[shown.type]}</Badge>
        {name === null ? <Shortened text={shown.identifier} className="font-mono" /> : <Shortened text={name} />}
        <CopyButton value={shown.identifier} label="Copy identifier" />
      </h2>
      <ConnectionNote queries={queries} />
      <div className="flex flex-wrap gap-2 sm:ml-auto">
        <Button onClick={() => actions.help(shown)}>
          <LifeBuoy aria-hidden /> Help
        </Button>
        <RoleButton needs="operator" variant="outline" onClick={() => actions.reset(shown)}>
          <RotateCcw aria-hidden /> {isTarget(shown) ? 'Reset all' : 'Reset'}
        </RoleButton>
        {isTarget(shown) ? (
          <RoleButton needs="operator" variant="outline" onClick={() => actions.allowlist(shown)}>
            <ShieldCheck aria-hidden /> Allowlist
          </RoleButton>
        ) : null}
        {shown.type === 'api_key' ? (
          <Button asChild variant="outline">
            <Link href={`/keys/${shown.identifier}`}>
              <KeyRound aria-hidden /> Open key
            </Link>
          </Button>
        ) : null}
      </div>
    </div>
  );
}
