import { useId } from 'react';
import { call } from '@/components/api/call';
import { useCall } from '@/components/api/use-call';
import { useReasonDialog } from '@/components/form/use-reason-dialog';
import { RoleGate } from '@/components/shell/role-gate';
import { Label } from '@/components/ui/label';
import { Switch } from '@/components/ui/switch';
import { getSecondFactor, getSignInSettings, putSignInSettings } from '@/lib/contract/second-factor';

const KEY = 'sign-in-settings';

/** Setting that requires a second factor of everyone who signs in with a password. */
export function SecondFactorRule() {
  const id = useId();
  const ask = useReasonDialog(KEY);
  const { data } = useCall([KEY], getSignInSettings, {});
  const { data: own } = useCall(['second-factor'], getSecondFactor, {});
  const required = data?.value.second_factor === 'required';
  const mine = own?.value.enabled === true || own?.value.available === false;
  const require = {
    title: 'Require a second factor from everyone?',
    description: `Members who sign in with a password and have none must set one up before they do anything else.${mine ? '' : ' You are one of them: you will set it up next.'} Tokens and sign-ins with a provider are not affected.`,
    submitLabel: 'Require it',
    mild: true,
    example: 'Policy of the security team',
    send: async (reason: string) => {
      const answer = await call(putSignInSettings, { query: { reason }, body: { second_factor: 'required' } });
      if (!mine) window.location.reload();
      return answer;
    },
    done: 'A second factor is required',
  };
  const allow = {
    title: 'Make the second factor optional?',
    description: 'Members may sign in with only a password. Those who have a second factor keep it.',
    submitLabel: 'Make it optional',
    mild: true,
    example: 'Two members have no phone',
    send: (reason: string) => call(putSignInSettings, { query: { reason }, body: { second_factor: 'optional' } }),
    done: 'A second factor is optional now',
  };
  return (
    <div className="flex items-center justify-between gap-4 rounded-lg border bg-card px-4 py-3">
      <div className="flex flex-col gap-0.5">
        <Label htmlFor={id}>Require a second factor</Label>
        <p className="text-xs text-muted-foreground" id={`${id}-hint`}>
          From everyone who signs in with a password. Each member sets it up under My account.
        </p>
      </div>
      <RoleGate needs="owner">
        <Switch
          id={id}
          aria-describedby={`${id}-hint`}
          checked={required}
          disabled={!data}
          onCheckedChange={(checked) => ask(checked ? require : allow)}
        />
      </RoleGate>
    </div>
  );
}
