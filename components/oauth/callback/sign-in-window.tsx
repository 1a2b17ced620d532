import { Loader2 } from 'lucide-react';
import { useEffect, useState } from 'react';
import { endWindow, keepWindow, openWindowChannel } from '@/components/oauth/callback/sign-in-channel';
import { Button } from '@/components/ui/button';

/** Time limit for the console page's answer, in milliseconds. */
const PATIENCE = 5_000;

type Phase = 'asking' | 'waiting' | 'leaving' | 'over' | 'unanswered';

const WORDS: Record<Phase, { title: string; text: string }> = {
  asking: { title: 'Connecting to the assessment…', text: 'The console page in your other window says what is next.' },
  waiting: {
    title: 'Keep this window open',
    text: 'The assessment goes on in the console. It comes back to this window when it needs another authorization.',
  },
  leaving: { title: 'Going to the authorization server…', text: 'Sign in and agree there, if it asks.' },
  over: { title: 'You can close this window', text: 'The assessment needs no further sign-in.' },
  unanswered: {
    title: 'No assessment is waiting for this',
    text: 'The console page that ran it was closed or reloaded, which stops an assessment. Start it again there.',
  },
};

/**
 * Window in which a person signs in for an assessment. It passes the URL that it came back to (`returned`) to the
 * console page, and opens the URL that it receives.
 */
export function SignInWindow({ assessment, returned }: { assessment: string; returned: string | null }) {
  const [phase, setPhase] = useState<Phase>('asking');
  useEffect(() => {
    let leaving = false;
    const timer = setTimeout(() => {
      setPhase('unanswered');
      endWindow();
    }, PATIENCE);
    const channel = openWindowChannel((message) => {
      if (message.assessment !== assessment) return;
      clearTimeout(timer);
      if (message.type !== 'over') keepWindow(assessment);
      if (message.type === 'wait') setPhase('waiting');
      if (message.type === 'over') {
        setPhase('over');
        endWindow();
        window.close();
      }
      if (message.type === 'go') {
        setPhase('leaving');
        leaving = true;
        channel.post({ type: 'leaving', assessment });
        window.location.replace(message.url);
      }
    });
    channel.post(returned === null ? { type: 'ready', assessment } : { type: 'returned', assessment, url: returned });
    const close = () => {
      if (!leaving) channel.post({ type: 'closed', assessment });
    };
    window.addEventListener('pagehide', close);
    return () => {
      clearTimeout(timer);
      window.removeEventListener('pagehide', close);
      channel.close();
    };
  }, [assessment, returned]);
  const { title, text } = WORDS[phase];
  const busy = phase === 'asking' || phase === 'leaving';
  return (
    <>
      <div role="status">
        <h1 className="flex items-center gap-2 text-lg font-semibold">
          {busy ? <Loader2 aria-hidden className="size-4 animate-spin" /> : null}
          {title}
        </h1>
        <p className="mt-1 text-sm text-muted-foreground">{text}</p>
      </div>
      {phase === 'over' || phase === 'unanswered' ? (
        <Button variant="outline" className="self-start" onClick={() => window.close()}>
          Close this window
        </Button>
      ) : null}
    </>
  );
}
