'use client';

import { LogIn } from 'lucide-react';
import { useState } from 'react';
import { toast } from 'sonner';
import { formatDuration } from '@/components/format/duration';
import { providerAddress } from '@/components/session/authenticate';
import { Button } from '@/components/ui/button';

function explain(answer: Exclude<Awaited<ReturnType<typeof providerAddress>>, { url: string }>): string {
  switch (answer.kind) {
    case 'locked':
      return answer.seconds === null
        ? 'Too many attempts. Wait a while before you try again.'
        : `Too many attempts. You can try again in ${formatDuration(answer.seconds)}.`;
    case 'forbidden':
      return answer.reason;
    case 'unreachable':
      return 'The server does not respond. Check your connection, then try again.';
    case 'fault':
      return 'The server has a problem. Try again in a moment.';
  }
}

export function ProviderButtons({
  providers,
  callbackUrl,
}: {
  providers: readonly { id: string; name: string }[];
  callbackUrl: string;
}) {
  const [leaving, setLeaving] = useState<string | null>(null);
  const start = async (id: string) => {
    setLeaving(id);
    const answer = await providerAddress(id, callbackUrl);
    if ('url' in answer) return window.location.assign(answer.url);
    setLeaving(null);
    toast.error('The provider could not be opened.', { description: explain(answer) });
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
