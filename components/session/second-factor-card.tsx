import { ShieldCheck } from 'lucide-react';
import { useCall } from '@/components/api/use-call';
import { Timestamp } from '@/components/format/timestamp';
import { ListError } from '@/components/list/list-error';
import { useDialog } from '@/components/shell/dialogs';
import { loadOnDemand } from '@/components/shell/load-on-demand';
import { Badge } from '@/components/ui/badge';
import { Button } from '@/components/ui/button';
import { TitledCard } from '@/components/ui/card';
import { Skeleton } from '@/components/ui/skeleton';
import { getSecondFactor, type SecondFactor } from '@/lib/contract/second-factor';
import { formatCount } from '@/lib/format-number';

const SetUpDialog = loadOnDemand(() => import('@/components/session/set-up-dialog'));
const ProveDialog = loadOnDemand(() => import('@/components/session/prove-dialog').then((file) => file.ProveDialog));

const WHAT = 'A code from an authenticator app, asked for with your password.';

export function SecondFactorCard() {
  const { data, error, refetch } = useCall(['second-factor'], getSecondFactor, {});
  if (error) return <ListError error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton className="h-40 rounded-lg" />;
  const factor = data.value;
  return (
    <TitledCard
      header="block"
      title={
        <span className="flex items-center gap-2">
          Second factor
          {factor.enabled ? <Badge variant="success">on</Badge> : null}
        </span>
      }
      description={WHAT}
      className="flex flex-col items-start gap-3"
    >
      {factor.enabled ? (
        <SecondFactorOn factor={factor} />
      ) : factor.available ? (
        <SecondFactorOff factor={factor} />
      ) : (
        <NotAvailable />
      )}
    </TitledCard>
  );
}

function NotAvailable() {
  return (
    <p className="text-sm text-muted-foreground">
      You sign in with a provider, which has a second factor of its own. Sluice asks for one only with a password.
    </p>
  );
}

function SecondFactorOff({ factor }: { factor: SecondFactor }) {
  const open = useDialog();
  return (
    <>
      <p className="text-sm text-muted-foreground">
        It is off: anyone who knows your password can sign in.{factor.required ? ' An owner requires it.' : ''}
      </p>
      <Button onClick={() => open((onClose) => <SetUpDialog onClose={onClose} />)}>
        <ShieldCheck aria-hidden /> Set up
      </Button>
    </>
  );
}

/** Number of remaining recovery codes at or below which the card warns. */
const FEW = 3;

function SecondFactorOn({ factor }: { factor: SecondFactor }) {
  const { enabled_at: since, recovery_codes_left: left } = factor;
  const open = useDialog();
  return (
    <>
      <p className="text-sm text-muted-foreground">
        {since === null ? null : (
          <>
            Since <Timestamp at={since} />.{' '}
          </>
        )}
        <span className={left <= FEW ? 'text-warning-text' : undefined}>
          {left === 0 ? 'No recovery code is left.' : `${formatCount(left, 'recovery code')} left.`}
        </span>
      </p>
      <div className="flex flex-wrap gap-2">
        <Button variant="outline" onClick={() => open((onClose) => <ProveDialog kind="renew" onClose={onClose} />)}>
          New recovery codes
        </Button>
        <Button variant="outline" onClick={() => open((onClose) => <ProveDialog kind="off" onClose={onClose} />)}>
          Turn off
        </Button>
      </div>
    </>
  );
}
