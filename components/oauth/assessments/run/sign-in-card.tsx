import { ExternalLink } from 'lucide-react';
import { type FormEvent, type MouseEvent, useId, useState } from 'react';
import { useRedirectUri } from '@/components/oauth/assessments/links';
import { type AssessmentRun, answer } from '@/components/oauth/assessments/run/assessment-run';
import { signInAddress } from '@/components/oauth/callback/sign-in-channel';
import { Disclosure } from '@/components/oauth/disclosure';
import { Button } from '@/components/ui/button';
import { Card, CardContent, CardHeader, CardTitle } from '@/components/ui/card';
import { Input } from '@/components/ui/input';
import { Label } from '@/components/ui/label';
import { visibleText } from '@/lib/oauth/builder/visible-text';

/** Asks the person to sign in at the server, in a window or, where nothing can come back, with a pasted address. */
export function SignInCard({ run }: { run: AssessmentRun }) {
  const own = useRedirectUri();
  const { wanted, window: where, id } = run;
  if (wanted === null || id === null) return null;
  const { host, redirectUri } = addressOf(wanted.url);
  const elsewhere = redirectUri !== null && redirectUri !== own;
  // The window is on its way to the server by itself.
  const goesOn = where === 'back' && !elsewhere;
  const href = elsewhere ? wanted.url : signInAddress(id);
  return (
    <Card aria-label="Sign in" className="border-primary/50">
      <CardHeader>
        <CardTitle>{where === 'away' ? `Continue at ${host}` : `Sign in at ${host}`}</CardTitle>
      </CardHeader>
      <CardContent className="flex flex-col gap-3 text-sm">
        <p role="status">
          {goesOn ? 'The window goes there again.' : where === 'away' ? TO_DO : `${visibleText(wanted.purpose)}.`}
        </p>
        <div className="flex flex-wrap gap-2">
          <Button asChild variant={where === 'none' ? 'default' : 'outline'}>
            <a href={href} target="_blank" rel="noopener noreferrer" onClick={elsewhere ? undefined : openWindow}>
              <ExternalLink aria-hidden />
              {where === 'none' ? `Sign in at ${host}` : 'Open the window again'}
            </a>
          </Button>
          <Button variant="outline" onClick={() => void answer(null)}>
            It showed an error, or did not come back
          </Button>
        </div>
        {elsewhere ? <PasteAddress redirectUri={redirectUri} /> : null}
        {elsewhere ? null : (
          <Disclosure title="Signed in with another browser? Paste the address" className="-mx-1.5">
            <PasteAddress redirectUri={own} />
          </Disclosure>
        )}
      </CardContent>
    </Card>
  );
}

const TO_DO =
  'Sign in there and agree, if it asks. Where the page shows an error instead, or stays, say so here: the assessment then judges that.';

function addressOf(url: string): { host: string; redirectUri: string | null } {
  const { host, searchParams } = new URL(url);
  return { host, redirectUri: searchParams.get('redirect_uri') };
}

/** A window beside the console; where the browser allows none, the link opens a tab. */
function openWindow(event: MouseEvent<HTMLAnchorElement>): void {
  if (event.metaKey || event.ctrlKey || event.shiftKey) return;
  const opened = window.open(event.currentTarget.href, '_blank', 'popup,width=560,height=760');
  if (opened !== null) event.preventDefault();
}

function PasteAddress({ redirectUri }: { redirectUri: string }) {
  const id = useId();
  const [address, setAddress] = useState('');
  const [error, setError] = useState<string | null>(null);
  const send = (event: FormEvent) => {
    event.preventDefault();
    const text = address.trim();
    if (!URL.canParse(text)) return setError('Paste the whole address, from https:// on.');
    setError(null);
    setAddress('');
    void answer(text);
  };
  return (
    <form noValidate onSubmit={send} className="flex flex-col gap-1.5">
      <Label htmlFor={id}>Address that the server sent the browser to</Label>
      <div className="flex gap-2">
        <Input
          id={id}
          value={address}
          onChange={(event) => setAddress(event.target.value)}
          placeholder={`${redirectUri}?code=…&state=…`}
          autoComplete="off"
          spellCheck={false}
          aria-invalid={error ? true : undefined}
          aria-describedby={`${id}-note`}
          className="font-mono"
        />
        <Button type="submit" variant="outline">
          Hand in
        </Button>
      </div>
      <p id={`${id}-note`} className={error ? 'text-xs text-destructive-text' : 'text-xs text-muted-foreground'}>
        {error ?? 'From the address bar, also where the page there shows an error or cannot be reached.'}
      </p>
    </form>
  );
}
