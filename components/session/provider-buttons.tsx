import { LogIn } from 'lucide-react';
import { useState } from 'react';
import { toast } from 'sonner';
import { providerAddress } from '@/components/session/authenticate';
import { outcomeText } from '@/components/session/refusals';
import { Button } from '@/components/ui/button';

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
    toast.error('The provider could not be opened.', {
      description: outcomeText(answer, answer.kind === 'locked' ? answer.seconds : null).text,
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
