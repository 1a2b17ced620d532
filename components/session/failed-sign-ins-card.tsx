import { useCall } from '@/components/api/use-call';
import { RelativeTime } from '@/components/format/relative-time';
import { ListError } from '@/components/list/list-error';
import { TitledCard } from '@/components/ui/card';
import { Skeleton } from '@/components/ui/skeleton';
import { Table, TableBody, TableCell, TableHead, TableHeader, TableRow } from '@/components/ui/table';
import { type FailedSignIns, listFailedSignIns } from '@/lib/contract/session';

const METHODS: Readonly<Record<FailedSignIns['newest'][number]['method'], string>> = {
  password: 'wrong password',
  code: 'right password, wrong code',
  invitation: 'invitation',
  github: 'another GitHub account',
  oidc: 'another provider account',
};

export function FailedSignInsCard() {
  const { data, error, refetch } = useCall(['failed-sign-ins'], listFailedSignIns, {});
  if (error) return <ListError error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton className="h-80 rounded-lg" />;
  const { newest } = data.value;
  return (
    <TitledCard header="block" title="Failed sign-ins" description={<Summary {...data.value} />} className="px-0 pb-1">
      {newest.length > 0 ? (
        <Table label="Failed sign-ins">
          <TableHeader>
            <TableRow>
              <TableHead>When</TableHead>
              <TableHead>Address</TableHead>
              <TableHead>Why</TableHead>
            </TableRow>
          </TableHeader>
          <TableBody>
            {newest.map((attempt) => (
              <TableRow key={attempt.id}>
                <TableCell>
                  <RelativeTime at={attempt.at} />
                </TableCell>
                <TableCell className="font-mono text-xs break-all">{attempt.address ?? 'unknown'}</TableCell>
                <TableCell className="text-muted-foreground">{METHODS[attempt.method]}</TableCell>
              </TableRow>
            ))}
          </TableBody>
        </Table>
      ) : null}
    </TitledCard>
  );
}

function Summary({ since, count, newest }: FailedSignIns) {
  if (newest.length === 0) return 'No failed sign-ins to your account in the last 90 days.';
  const advice =
    count === 1 ? 'If it was not you, change your password.' : 'If they were not you, change your password.';
  const attempts = count === 1 ? '1 failed attempt' : `${count >= 200 ? '200 or more' : count || 'No'} failed attempts`;
  if (since === null) return `${attempts} on your account. ${advice}`;
  return (
    <>
      {attempts} since your previous sign-in, <RelativeTime at={since} />.{count > 0 ? ` ${advice}` : ''}
    </>
  );
}
