import { ExternalLink } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { useClient } from '@/components/oauth/client/use-client';
import { VerbatimField } from '@/components/oauth/verbatim-field';
import { Alert } from '@/components/ui/alert';
import { Button } from '@/components/ui/button';
import { Disclosure } from '@/components/ui/disclosure';
import { readReturnedParameters } from '@/lib/oauth/client/check-authorization-response';

/** Opens the server's page and receives the response. */
export function AuthorizePanel() {
  const { state, origin, obstacle, authorize } = useClient();
  const [blocked, setBlocked] = useState<string | null>(null);
  const { waiting, flow, environment } = state;
  const leadsBack = environment.redirect_uri === `${origin}/oauth/callback`;
  const open = async () => {
    const result = await authorize();
    setBlocked(result === null || result.opened ? null : result.address);
  };
  const label = waiting ? 'Open the page again' : flow.code === '' ? "Open the server's page" : 'Authorize again';
  return (
    <div className="flex flex-col gap-3">
      <Button
        className="self-start"
        variant={waiting || flow.code !== '' ? 'outline' : 'default'}
        disabled={obstacle !== null}
        onClick={() => void open()}
      >
        <ExternalLink aria-hidden /> {label}
      </Button>
      <div role="status" className="flex flex-col gap-3 empty:hidden">
        {waiting && leadsBack ? (
          <p className="text-sm text-muted-foreground">
            Sign in and agree in the other window. The code comes back to this page automatically.
          </p>
        ) : null}
        {waiting && blocked !== null ? (
          <Alert variant="warning" title="The browser opened no window">
            <a href={blocked} target="_blank" rel="noopener noreferrer" className="underline underline-offset-3">
              Open the page of the server in a new tab
            </a>
          </Alert>
        ) : null}
      </div>
      {waiting && !leadsBack ? <PasteAddress /> : null}
      {leadsBack ? (
        <Disclosure title="Signed in with another browser? Paste the address" className="-mx-1.5">
          <PasteAddress />
        </Disclosure>
      ) : null}
    </div>
  );
}

function PasteAddress() {
  const { state, receive } = useClient();
  const [address, setAddress] = useState('');
  const [error, setError] = useState<string | undefined>();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const returned = readReturnedParameters(address);
    setError(returned === null ? 'Paste the whole address, from https:// on.' : undefined);
    if (returned === null) return;
    setAddress('');
    receive(returned);
  };
  return (
    <form method="post" noValidate onSubmit={submit}>
      <VerbatimField
        label="Address that the server sent the browser to"
        value={address}
        onChange={setAddress}
        placeholder={`${state.environment.redirect_uri}?code=…&state=…`}
        error={error}
        hint="From the address bar, even if that page cannot be reached."
        suffix={
          <Button type="submit" variant="outline">
            Submit
          </Button>
        }
      />
    </form>
  );
}
