import { useQuery } from '@tanstack/react-query';
import { call } from '@/components/call';
import { RelativeTime } from '@/components/format/relative-time';
import { ListError } from '@/components/list/list-error';
import { Card, CardContent, CardDescription, CardHeader, CardTitle } from '@/components/ui/card';
import { Skeleton } from '@/components/ui/skeleton';
import { Table, TableBody, TableCell, TableHead, TableHeader, TableRow } from '@/components/ui/table';
import { type FailedSignIns, listFailedSignIns } from '@/lib/contract/session';

const METHODS: Readonly<Record<FailedSignIns['newest'][number]['method'], string>> = {
  password: 'wrong password',
  github: 'another GitHub account',
  oidc: 'another provider account',
};

/** Failed sign-ins to the member's own account. */
export function FailedSignInsSection() {
  const { data, error, refetch } = useQuery({
    queryKey: ['failed-sign-ins'],
    queryFn: async ({ signal }) => (await call(listFailedSignIns, { signal })).value,
  });
  if (error) return <ListError error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton className="h-80 rounded-lg" />;
  return (
    <Card>
      <CardHeader className="block">
        <CardTitle>Failed sign-ins</CardTitle>
        <CardDescription>
          <Summary {...data} />
        </CardDescription>
      </CardHeader>
      {data.newest.length > 0 ? (
        <CardContent className="px-0 pb-1">
          <Table label="Failed sign-ins">
            <TableHeader>
              <TableRow>
                <TableHead>When</TableHead>
                <TableHead>Address</TableHead>
                <TableHead>Why</TableHead>
              </TableRow>
            </TableHeader>
            <TableBody>
              {data.newest.map((attempt) => (
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
        </CardContent>
      ) : null}
    </Card>
  );
}

function Summary({ since, count, newest }: FailedSignIns) {
  if (newest.length === 0) return 'No failed sign-ins to your account in the last 90 days.';
  const attempts = count === 1 ? '1 failed attempt' : `${count >= 200 ? '200 or more' : count || 'No'} failed attempts`;
  if (since === null) return `${attempts} on your account. If they were not yours, change your password.`;
  return (
    <>
      {attempts} since your previous sign-in, <RelativeTime at={since} />.
      {count > 0 ? ' If they were not yours, change your password.' : ''}
    </>
  );
}
