'use client';

import { LogIn } from 'lucide-react';
import { useState } from 'react';
import { toast } from 'sonner';
import { providerAddress } from '@/components/sign-in/authenticate';
import { Button } from '@/components/ui/button';

/** One button for each provider that is configured. */
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
    const address = await providerAddress(id, callbackUrl);
    if (address) return window.location.assign(address);
    setLeaving(null);
    toast.error('The provider could not be reached.', { description: 'Try again, or sign in with a password.' });
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
