import { AppWindow, ExternalLink } from 'lucide-react';
import { type FormEvent, type MouseEvent, useId, useState } from 'react';
import { CopyButton } from '@/components/format/copy-button';
import { useRedirectUri } from '@/components/oauth/assessments/links';
import { type AssessmentRun, answer } from '@/components/oauth/assessments/run/assessment-run';
import { buildSignInAddress } from '@/components/oauth/callback/sign-in-channel';
import { Alert } from '@/components/ui/alert';
import { Button } from '@/components/ui/button';
import { Card, CardContent, CardHeader, CardTitle } from '@/components/ui/card';
import { Disclosure } from '@/components/ui/disclosure';
import { Input } from '@/components/ui/input';
import { Label } from '@/components/ui/label';
import { escapeInvisibleCharacters } from '@/lib/oauth/escape-invisible';

/**
 * Asks a person to sign in at the server, in a window. If the server cannot redirect back, the person pastes the URL.
 */
export function SignInCard({ run }: { run: AssessmentRun }) {
  const own = useRedirectUri();
  const { wanted, window: where, id, answered } = run;
  if (id === null) return null;
  if (wanted === null || (where === 'back' && readAddress(wanted.url).redirectUri === own)) {
    return where === 'back' ? <NoInputNeededNote answered={answered} /> : null;
  }
  const { host, hostname, redirectUri } = readAddress(wanted.url);
  const elsewhere = redirectUri !== null && redirectUri !== own;
  const href = elsewhere ? wanted.url : buildSignInAddress(id);
  const isOpen = where === 'away';
  return (
    <Card aria-label="Sign in" className="border-primary/50">
      <CardHeader>
        <CardTitle>{isOpen ? `Continue at ${host}` : `Sign in at ${host}`}</CardTitle>
      </CardHeader>
      <CardContent className="flex flex-col gap-3 text-sm">
        {wanted.again ? (
          <Alert variant="warning">That address belongs to another request. Go there again for this one.</Alert>
        ) : null}
        <div role="status">
          <p>{elsewhere ? PASTE : TO_DO[where]}</p>
          <p className="text-muted-foreground">What it is for: {escapeInvisibleCharacters(wanted.purpose)}.</p>
          {hostname === location.hostname ? <p className="text-muted-foreground">{ONE_HOST}</p> : null}
        </div>
        <div className="flex flex-wrap gap-2">
          <Button asChild variant={isOpen ? 'outline' : 'default'}>
            <a href={href} target="_blank" rel="noopener noreferrer" onClick={elsewhere ? undefined : openWindow}>
              <ExternalLink aria-hidden />
              {isOpen || where === 'closed' ? 'Open the window again' : `Sign in at ${host}`}
            </a>
          </Button>
          <Button variant="outline" onClick={() => void answer(null)}>
            It showed an error, or did not come back
          </Button>
        </div>
        {elsewhere ? <PasteAddress redirectUri={redirectUri} /> : null}
        {elsewhere ? null : (
          <Disclosure title="Signed in with another browser? Paste the address" className="-mx-1.5">
            <div className="flex flex-col gap-3">
              <p className="flex items-start gap-2">
                <code dir="ltr" className="min-w-0 font-mono text-xs wrap-anywhere">
                  {escapeInvisibleCharacters(wanted.url)}
                </code>
                <CopyButton value={wanted.url} label="Copy the address to open there" />
              </p>
              <PasteAddress redirectUri={own} />
            </div>
          </Disclosure>
        )}
      </CardContent>
    </Card>
  );
}

/** Replaces the card while the window needs no input. */
function NoInputNeededNote({ answered }: { answered: number }) {
  return (
    <Card aria-label="Sign in" className="border-primary/50">
      <CardContent className="flex items-start gap-2.5 pt-4 text-sm">
        <AppWindow aria-hidden className="mt-0.5 size-4 shrink-0 text-primary" />
        <p role="status">
          Signed in. Keep the window open: it fetches{' '}
          {answered > 1 ? `the codes by itself, ${answered} so far` : 'the codes by itself'}.
        </p>
      </CardContent>
    </Card>
  );
}

const TO_DO = {
  none: "A window opens the server's own page. Sign in and agree there once; the window then fetches every code by itself.",
  away: 'Sign in and agree in the window. If it shows an error or never comes back, press the button below: a refusal is judged, too.',
  back: 'The window comes back automatically.',
  closed: 'The window was closed before it came back. Open it again to go on.',
} as const;
const PASTE = 'Open the page, sign in and agree there, if it asks, then paste the address where the browser ends up.';
const ONE_HOST =
  'The server and this console have one host, so they share the cookies that a browser keeps for a host. If you are signed out here, open the console at another name, such as localhost instead of 127.0.0.1.';

function readAddress(url: string): { host: string; hostname: string; redirectUri: string | null } {
  const { host, hostname, searchParams } = new URL(url);
  return { host, hostname, redirectUri: searchParams.get('redirect_uri') };
}

/** Opens a window next to the console. If the browser blocks it, the link opens a tab. */
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
    <form method="post" noValidate onSubmit={send} className="flex flex-col gap-1.5">
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
          Submit
        </Button>
      </div>
      <p id={`${id}-note`} className={error ? 'text-xs text-destructive-text' : 'text-xs text-muted-foreground'}>
        {error ?? 'From the address bar, even if that page shows an error or cannot be reached.'}
      </p>
    </form>
  );
}
