import { useQueryClient } from '@tanstack/react-query';
import { useId } from 'react';
import { call } from '@/components/call';
import { toastError } from '@/components/explain-error';
import { useConfirm } from '@/components/form/confirm-dialog';
import { useMay } from '@/components/shell/member';
import { Label } from '@/components/ui/label';
import { Switch } from '@/components/ui/switch';
import { toast } from '@/components/ui/toast';
import { useCall } from '@/components/use-call';
import { getSecondFactor, getSignInSettings, putSignInSettings } from '@/lib/contract/second-factor';

const KEY = 'sign-in-settings';

/** Whether everybody who signs in with a password needs a second factor. */
export function SecondFactorRule() {
  const id = useId();
  const owner = useMay('owner');
  const queries = useQueryClient();
  const confirm = useConfirm(KEY);
  const { data } = useCall([KEY], getSignInSettings, {});
  const { data: own } = useCall(['second-factor'], getSecondFactor, {});
  const required = data?.value.second_factor === 'required';
  const mine = own?.value.enabled === true || own?.value.available === false;
  const change = async (checked: boolean) => {
    if (checked) {
      return confirm({
        title: 'Require a second factor of everybody?',
        description: `Members who sign in with a password and have none must set one up before anything else, from their next request on.${mine ? '' : ' You are one of them: you will set it up next.'} Tokens and sign-ins with a provider are not affected.`,
        confirmLabel: 'Require it',
        confirm: async () => {
          await call(putSignInSettings, { body: { second_factor: 'required' } });
          if (!mine) window.location.reload();
        },
        done: 'A second factor is required',
      });
    }
    try {
      await call(putSignInSettings, { body: { second_factor: 'optional' } });
      toast.success('A second factor is optional now');
    } catch (error) {
      toastError(error);
    }
    await queries.invalidateQueries({ queryKey: [KEY] });
  };
  return (
    <div className="flex items-center justify-between gap-4 rounded-lg border bg-card px-4 py-3">
      <div className="flex flex-col gap-0.5">
        <Label htmlFor={id}>Require a second factor</Label>
        <p className="text-xs text-muted-foreground" id={`${id}-hint`}>
          Of everybody who signs in with a password. Each member sets it up under My account.
        </p>
      </div>
      <Switch
        id={id}
        aria-describedby={`${id}-hint`}
        checked={required}
        disabled={!owner || !data}
        onCheckedChange={(checked) => void change(checked)}
      />
    </div>
  );
}
