import { type FormEvent, useState } from 'react';
import { call } from '@/components/api/call';
import type { LimitedIdentity } from '@/components/links/target';
import { useClientAddress } from '@/components/shell/member';
import { Button } from '@/components/ui/button';
import { Input } from '@/components/ui/input';
import { Segmented } from '@/components/ui/segmented';
import type { CallerType } from '@/lib/contract/fields/enumerations';
import { parseIdentifier } from '@/lib/contract/fields/identifier';
import { listApiKeys } from '@/lib/contract/keys';

const KINDS: readonly { value: CallerType; label: string }[] = [
  { value: 'ip', label: 'IP address' },
  { value: 'user_id', label: 'User' },
  { value: 'api_key', label: 'API key' },
  { value: 'client_id', label: 'Client' },
  { value: 'subject', label: 'Subject of a named limit' },
];

const INPUTS: Record<CallerType, { label: string; placeholder: string; wrong: string }> = {
  ip: { label: 'IP address', placeholder: '203.0.113.7 or 2001:db8::1', wrong: 'Not a valid address.' },
  user_id: { label: 'User id', placeholder: 'user_1234', wrong: 'A user id has 1 to 256 characters.' },
  api_key: { label: 'API key', placeholder: 'Its name or id', wrong: 'Enter the name or the id of a key.' },
  client_id: { label: 'OAuth client', placeholder: 'demo-client', wrong: 'A client id has 1 to 256 characters.' },
  subject: {
    label: 'Subject of a named limit',
    placeholder: '+4915112345678',
    wrong: 'A subject has 1 to 256 characters.',
  },
};

/** Finds the single key whose name contains the text. Returns an error text if there is none or more than one. */
async function findKeyByName(text: string): Promise<{ id: string } | { wrong: string }> {
  const { value: keys } = await call(listApiKeys, { query: { q: text, limit: '50' } });
  const exact = keys.filter(({ name }) => name === text);
  const [key, ...others] = exact.length > 0 ? exact : keys;
  if (key === undefined) return { wrong: 'No key has this name.' };
  return others.length === 0 ? { id: key.id } : { wrong: `${keys.length} keys match. Enter the whole name or the id.` };
}

interface InspectFormProps {
  initial: LimitedIdentity;
  onSubmit: (target: LimitedIdentity) => void;
}

export function InspectForm({ initial, onSubmit }: InspectFormProps) {
  const own = useClientAddress();
  const [type, setType] = useState(initial.type);
  const [text, setText] = useState(initial.identifier);
  const [wrong, setWrong] = useState<string | null>(null);
  const inspect = async (identifier: string) => {
    const trimmed = type === 'ip' || type === 'api_key' ? identifier.trim() : identifier;
    const canonical = parseIdentifier(type, trimmed);
    if (canonical !== null) return onSubmit({ type, identifier: canonical });
    if (type !== 'api_key' || trimmed === '') return setWrong(INPUTS[type].wrong);
    const found = await findKeyByName(trimmed).catch(() => ({ wrong: 'The keys could not be searched. Try again.' }));
    if ('id' in found) onSubmit({ type, identifier: found.id });
    else setWrong(found.wrong);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setWrong(null);
    void inspect(text);
  };
  const { label, placeholder } = INPUTS[type];
  return (
    <form onSubmit={submit} noValidate className="flex flex-col gap-1.5">
      <div className="flex flex-wrap items-center gap-2">
        <Segmented
          label="Kind of identifier"
          className="max-sm:grid max-sm:h-auto max-sm:w-full max-sm:grid-cols-2"
          value={type}
          onChange={(next) => {
            setType(next);
            setWrong(null);
          }}
          options={KINDS}
        />
        <Input
          aria-label={label}
          aria-invalid={wrong ? true : undefined}
          aria-describedby={wrong ? 'inspect-error' : undefined}
          placeholder={placeholder}
          value={text}
          onChange={(event) => setText(event.target.value)}
          spellCheck={false}
          autoCapitalize="off"
          className="w-80 font-mono max-sm:w-full"
        />
        <Button type="submit" variant={initial.identifier === '' ? 'default' : 'outline'}>
          Inspect
        </Button>
        {type === 'ip' && own ? (
          <Button variant="ghost" onClick={() => void inspect(own)}>
            My address
          </Button>
        ) : null}
      </div>
      {wrong ? (
        <p id="inspect-error" role="alert" className="text-xs text-destructive-text">
          {wrong}
        </p>
      ) : null}
    </form>
  );
}
