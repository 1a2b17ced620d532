'use client';

import { LogIn } from 'lucide-react';
import { useState, useSyncExternalStore } from 'react';
import type { Explanation } from '@/components/api/explain-error';
import { requestProviderUrl } from '@/components/session/authenticate';
import { explainOutcome } from '@/components/session/refusals';
import { SignInForm } from '@/components/session/sign-in-form';
import { SignInFrame } from '@/components/session/sign-in-frame';
import { Alert } from '@/components/ui/alert';
import { Button } from '@/components/ui/button';
import { toast } from '@/components/ui/toast';

interface SignInPanelProps {
  providers: readonly { id: string; name: string }[];
  target: string;
  refusal: Explanation | null;
  /** Origins that Sluice accepts. */
  origins: readonly string[];
}

export function SignInPanel({ providers, target, refusal, origins }: SignInPanelProps) {
  return (
    <SignInFrame title="Sign in to the console">
      <OriginNotice origins={origins} />
      {refusal ? (
        <Alert variant="destructive" title={refusal.title}>
          {refusal.text}
        </Alert>
      ) : null}
      <SignInForm onSuccess={() => window.location.assign(target)} />
      {providers.length > 0 ? (
        <>
          <div className="flex items-center gap-3 text-xs text-muted-foreground before:h-px before:flex-1 before:bg-border after:h-px after:flex-1 after:bg-border">
            or
          </div>
          <ProviderButtons providers={providers} target={target} />
        </>
      ) : null}
      <LostPasswordHelp />
    </SignInFrame>
  );
}

/** Help for a lost password. Sluice sends no reset mail, so an owner or the server's operator has to help. */
function LostPasswordHelp() {
  return (
    <details className="text-xs text-muted-foreground [&[open]>summary]:mb-1.5">
      <summary className="w-fit rounded-sm hover:text-foreground">Lost your password or second factor?</summary>
      Ask an owner for a link to set a new one; an owner can also reset a lost second factor. If you are the only owner,
      set <code>SLUICE_ADMIN_TOKEN</code> on the server, restart Sluice, and create the link with{' '}
      <a href="/docs/members" className="underline underline-offset-2">
        the API
      </a>
      .
    </details>
  );
}

const subscribeNothing = () => () => undefined;

/** Warns if the page's origin is not one that Sluice accepts, because sign-in would be refused. */
function OriginNotice({ origins }: { origins: readonly string[] }) {
  const origin = useSyncExternalStore(
    subscribeNothing,
    () => window.location.origin,
    () => null,
  );
  if (origin === null || origins.includes(origin)) return null;
  return (
    <Alert variant="warning" title="Sluice does not know this address">
      This page was reached as <b className="break-words">{origin}</b>, but Sluice sees{' '}
      <b className="break-words">{origins[0]}</b>. Set <code>SLUICE_PUBLIC_URL</code> to{' '}
      <span className="break-words">{origin}</span>, or <code>SLUICE_TRUSTED_PROXIES</code> to the address of your
      proxy, and restart Sluice.
    </Alert>
  );
}

function ProviderButtons({ providers, target }: Pick<SignInPanelProps, 'providers' | 'target'>) {
  const [leaving, setLeaving] = useState<string | null>(null);
  const start = async (id: string) => {
    setLeaving(id);
    const answer = await requestProviderUrl(id, target);
    if ('url' in answer) return window.location.assign(answer.url);
    setLeaving(null);
    toast.error('The provider could not be opened.', {
      description: explainOutcome(answer, answer.kind === 'locked' ? answer.seconds : null).text,
    });
  };
  return (
    <div className="flex flex-col gap-2">
      {providers.map((provider) => (
        <Button
          key={provider.id}
          variant="outline"
          size="lg"
          pending={leaving === provider.id}
          onClick={() => start(provider.id)}
        >
          {leaving === provider.id ? null : <LogIn aria-hidden />}
          Continue with {provider.name}
        </Button>
      ))}
    </div>
  );
}
