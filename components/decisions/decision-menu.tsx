import { KeyRound, LifeBuoy } from 'lucide-react';
import { findTarget } from '@/components/decisions/decision-words';
import { IdentifierMenuItems } from '@/components/identifier/identifier';
import { useSubjectActions } from '@/components/identifier/subject-actions';
import { ExplainItem } from '@/components/links/explain-item';
import { buildHelpRequest } from '@/components/links/help-target';
import { RowMenu } from '@/components/list/row-menu';
import { DropdownMenuItem } from '@/components/ui/dropdown-menu';
import { Link } from '@/components/ui/link';
import type { LoggedDecision } from '@/lib/contract/decisions';

/** Menu of actions for a decision. They apply to the subject that decided, never to the address of a key's caller. */
export function DecisionMenu({ decision }: { decision: LoggedDecision }) {
  const { help } = useSubjectActions();
  const helpRequest = buildHelpRequest(decision);
  const target = findTarget(decision);
  if (!helpRequest) return null;
  return (
    <RowMenu name={target?.identifier ?? helpRequest.identifier}>
      {target ? (
        <IdentifierMenuItems target={target} decision={decision} />
      ) : (
        <>
          <DropdownMenuItem icon={LifeBuoy} label="Help…" onSelect={() => help(helpRequest)} />
          <ExplainItem requestId={decision.request_id} />
          {helpRequest.type === 'api_key' ? (
            <DropdownMenuItem asChild>
              <Link href={`/keys/${helpRequest.identifier}`}>
                <KeyRound aria-hidden /> Open key
              </Link>
            </DropdownMenuItem>
          ) : null}
        </>
      )}
    </RowMenu>
  );
}
