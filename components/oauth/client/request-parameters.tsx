import { X } from 'lucide-react';
import { AddParameter } from '@/components/oauth/add-parameter';
import { useClient } from '@/components/oauth/client/use-client';
import { VerbatimField } from '@/components/oauth/verbatim-field';
import { Button } from '@/components/ui/button';
import { NO_EDITS, SIGNED_LATER } from '@/lib/oauth/client/plan-request';

/** Lists the parameters of the request. Each can be changed or removed, and new ones added. */
export function RequestParameters() {
  const { state, dispatch, planned } = useClient();
  const { step, edits } = state;
  const { parameters: edited } = edits[step] ?? NO_EDITS;
  const set = (name: string, value: string | null) =>
    dispatch({ type: 'edit', step, edits: { parameters: { [name]: value } } });
  const leftOut = Object.entries(edited).flatMap(([name, value]) => (value === null ? [name] : []));
  if (step === 'userinfo' || step === 'resource') return null;
  return (
    <fieldset className="flex min-w-0 flex-col gap-2.5">
      <legend className="sr-only">Parameters</legend>
      {planned.parameters.map(([name, value]) => (
        <VerbatimField
          key={name}
          label={<span className="font-mono text-xs">{name}</span>}
          value={value}
          hint={value === SIGNED_LATER ? 'Signed with the key of the client when the request is sent.' : undefined}
          type={name === 'client_secret' ? 'password' : 'text'}
          onChange={(next) => set(name, next)}
          suffix={
            <Button variant="ghost" size="icon" aria-label={`Leave out ${name}`} onClick={() => set(name, null)}>
              <X aria-hidden />
            </Button>
          }
        />
      ))}
      <div className="flex flex-wrap items-center gap-2">
        <AddParameter names={/^[\w.:-]{1,64}$/} onAdd={(name) => set(name, '')} />
        {leftOut.length === 0 ? null : (
          <span className="text-xs text-muted-foreground">Left out: {leftOut.join(', ')}</span>
        )}
        {Object.keys(edited).length === 0 ? null : (
          <Button variant="ghost" size="sm" onClick={() => dispatch({ type: 'restore', step })}>
            Undo the changes
          </Button>
        )}
      </div>
    </fieldset>
  );
}
