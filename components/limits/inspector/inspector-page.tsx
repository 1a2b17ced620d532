'use client';

import { ScanSearch } from 'lucide-react';
import { parseAsString, parseAsStringLiteral, useQueryStates } from 'nuqs';
import { type FormEvent, useState } from 'react';
import type { Target } from '@/components/identifier/target';
import { Counters } from '@/components/limits/inspector/counters';
import { EmptyState } from '@/components/list/empty-state';
import { useClientAddress } from '@/components/shell/member';
import { PageHeader } from '@/components/shell/page-header';
import { Button } from '@/components/ui/button';
import { Input } from '@/components/ui/input';
import { Segmented } from '@/components/ui/segmented';
import { canonicalIdentifier } from '@/lib/contract/fields/identifier';

const ADDRESS = {
  type: parseAsStringLiteral(['ip', 'user_id'] as const).withDefault('ip'),
  identifier: parseAsString.withDefault(''),
};

export function InspectorPage() {
  const [target, setTarget] = useQueryStates(ADDRESS, { history: 'push' });
  return (
    <>
      <PageHeader title="Inspector" description="How much of each limit an address or user has used right now." />
      <InspectForm
        key={`${target.type} ${target.identifier}`}
        initial={target}
        onSubmit={(next) => void setTarget(next)}
      />
      {target.identifier === '' ? (
        <EmptyState icon={ScanSearch} title="Choose an address or user">
          Enter an address or a user id above, or choose “Inspect counters” in any menu.
        </EmptyState>
      ) : (
        <Counters target={target} />
      )}
    </>
  );
}

function InspectForm({ initial, onSubmit }: { initial: Target; onSubmit: (target: Target) => void }) {
  const own = useClientAddress();
  const [type, setType] = useState(initial.type);
  const [text, setText] = useState(initial.identifier);
  const [refused, setRefused] = useState(false);
  const inspect = (identifier: string) => {
    const canonical = canonicalIdentifier(type, type === 'ip' ? identifier.trim() : identifier);
    setRefused(canonical === null);
    if (canonical !== null) onSubmit({ type, identifier: canonical });
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    inspect(text);
  };
  const label = type === 'ip' ? 'IP address' : 'User id';
  return (
    <form onSubmit={submit} noValidate className="flex flex-col gap-1.5">
      <div className="flex flex-wrap items-center gap-2">
        <Segmented
          label="Kind of identifier"
          value={type}
          onChange={(next) => {
            setType(next);
            setRefused(false);
          }}
          options={[
            { value: 'ip', label: 'IP address' },
            { value: 'user_id', label: 'User' },
          ]}
        />
        <Input
          aria-label={label}
          aria-invalid={refused || undefined}
          aria-describedby={refused ? 'inspect-error' : undefined}
          placeholder={type === 'ip' ? '203.0.113.7 or 2001:db8::1' : 'user_1234'}
          value={text}
          onChange={(event) => setText(event.target.value)}
          spellCheck={false}
          autoCapitalize="off"
          className="w-80 font-mono max-sm:w-full"
        />
        <Button type="submit">Inspect</Button>
        {type === 'ip' && own ? (
          <Button variant="ghost" onClick={() => inspect(own)}>
            My address
          </Button>
        ) : null}
      </div>
      {refused ? (
        <p id="inspect-error" role="alert" className="text-xs text-destructive-text">
          {type === 'ip' ? 'Not a valid address.' : 'A user id has 1 to 256 characters.'}
        </p>
      ) : null}
    </form>
  );
}
