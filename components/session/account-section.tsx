import { zodResolver } from '@hookform/resolvers/zod';
import { useForm } from 'react-hook-form';
import { z } from 'zod';
import { call } from '@/components/call';
import { FormFault, useApiForm } from '@/components/form/api-form';
import { TextField } from '@/components/form/text-field';
import { RelativeTime } from '@/components/format/relative-time';
import { ListError } from '@/components/list/list-error';
import { useMember } from '@/components/shell/member';
import { Button } from '@/components/ui/button';
import { TitledCard } from '@/components/ui/card';
import { Skeleton } from '@/components/ui/skeleton';
import { Table, TableBody, TableCell, TableHead, TableHeader, TableRow } from '@/components/ui/table';
import { toast } from '@/components/ui/toast';
import { useCall } from '@/components/use-call';
import { PasswordInput } from '@/lib/contract/members';
import { changeOwnPassword, type FailedSignIns, listFailedSignIns } from '@/lib/contract/session';

export default function AccountSection() {
  return (
    <div className="grid items-start gap-4 lg:grid-cols-2">
      <PasswordCard />
      <FailedSignInsCard />
    </div>
  );
}

const PasswordForm = z.object({
  current_password: z.string().min(1, 'Enter your password.'),
  new_password: PasswordInput,
});

const EMPTY = { current_password: '', new_password: '' };

function PasswordCard() {
  const { email } = useMember();
  const form = useForm({ resolver: zodResolver(PasswordForm), defaultValues: EMPTY });
  const { submit, fault } = useApiForm(form, async (body) => {
    await call(changeOwnPassword, { body });
    form.reset(EMPTY);
    toast.success('Password changed', { description: 'Your other sessions have ended.' });
  });
  return (
    <TitledCard title="Password" description={`For ${email}. A change ends your other sessions.`} header="block">
      <form method="post" onSubmit={submit} noValidate className="flex flex-col gap-4">
        <FormFault error={fault} />
        <TextField
          control={form.control}
          name="current_password"
          label="Current password"
          type="password"
          autoComplete="current-password"
        />
        <TextField
          control={form.control}
          name="new_password"
          label="New password"
          type="password"
          autoComplete="new-password"
          hint="At least 8 characters."
        />
        <Button type="submit" className="self-start" pending={form.formState.isSubmitting}>
          Change password
        </Button>
      </form>
    </TitledCard>
  );
}

const METHODS: Readonly<Record<FailedSignIns['newest'][number]['method'], string>> = {
  password: 'wrong password',
  code: 'right password, wrong code',
  invitation: 'invitation',
  github: 'another GitHub account',
  oidc: 'another provider account',
};

function FailedSignInsCard() {
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
  const attempts = count === 1 ? '1 failed attempt' : `${count >= 200 ? '200 or more' : count || 'No'} failed attempts`;
  if (since === null) return `${attempts} on your account. If they were not yours, change your password.`;
  return (
    <>
      {attempts} since your previous sign-in, <RelativeTime at={since} />.
      {count > 0 ? ' If they were not yours, change your password.' : ''}
    </>
  );
}
