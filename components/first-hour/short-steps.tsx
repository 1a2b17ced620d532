import type { ReactNode } from 'react';
import { formatWindow } from '@/components/format/duration';
import { usePolicies } from '@/components/policies/policies';
import { useDialog } from '@/components/shell/dialogs';
import { loadOnDemand } from '@/components/shell/load-on-demand';
import { RoleButton } from '@/components/shell/role-button';
import { Button } from '@/components/ui/button';
import { Link } from '@/components/ui/link';
import { formatNumber } from '@/lib/format-number';

const CreateKeyDialog = loadOnDemand(() =>
  import('@/components/keys/key-form-dialogs').then((file) => file.CreateKeyDialog),
);
const InviteDialog = loadOnDemand(() => import('@/components/members/invite-dialog'));

export function StepText({ children }: { children: ReactNode }) {
  return <p className="max-w-prose text-sm text-muted-foreground">{children}</p>;
}

export function KeyStep() {
  const open = useDialog();
  return (
    <>
      <StepText>
        A key names a client, limits how fast it may go, and gives it a monthly quota. The client sends it in{' '}
        <code className="font-mono text-xs">X-API-Key</code>.
      </StepText>
      <RoleButton
        needs="owner"
        className="self-start"
        onClick={() => open((onClose) => <CreateKeyDialog onClose={onClose} />)}
      >
        New key
      </RoleButton>
    </>
  );
}

export function LimitStep() {
  const read = usePolicies().data?.value.classes.read.ip;
  return (
    <>
      <StepText>
        Every address, user and client is limited from the start
        {read
          ? `: reading, for example, to ${formatNumber(read.limit)} requests in ${formatWindow(read.window_seconds)} from one address`
          : ''}
        . Set it to what your application can handle; before you save, you see what it would have refused.
      </StepText>
      <Button asChild className="self-start">
        <Link href="/limits">Open limits</Link>
      </Button>
    </>
  );
}

export function InviteStep() {
  const open = useDialog();
  return (
    <>
      <StepText>
        Someone else should be able to help when you are away. A viewer reads, an operator helps refused people, an
        owner can do everything.
      </StepText>
      <RoleButton
        needs="owner"
        className="self-start"
        onClick={() => open((onClose) => <InviteDialog onClose={onClose} />)}
      >
        Invite a member
      </RoleButton>
    </>
  );
}
