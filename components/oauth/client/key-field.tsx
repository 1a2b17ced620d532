import { KeyRound } from 'lucide-react';
import { CopyButton } from '@/components/format/copy-button';
import { useClient } from '@/components/oauth/client/use-client';
import { SafeText } from '@/components/oauth/safe-text';
import { VerbatimField } from '@/components/oauth/verbatim-field';
import { Button } from '@/components/ui/button';
import { readPrivateKey } from '@/lib/oauth/client/environment';
import { selectPublicPart } from '@/lib/oauth/client/private-key';

/** Key for `private_key_jwt`: pasted, or generated in this browser. */
export function KeyField() {
  const { state, set } = useClient();
  const { key } = state.environment;
  const read = readPrivateKey(key);
  const generate = async () => {
    const { generateClientKey } = await import('@/lib/oauth/client/sign');
    set({ key: JSON.stringify(await generateClientKey()) });
  };
  const keySet = read === null ? '' : JSON.stringify({ keys: [selectPublicPart(read)] });
  return (
    <div className="flex flex-col gap-3">
      <VerbatimField
        label="Private key (JWK)"
        multiline
        value={key}
        placeholder='{"kty":"EC","crv":"P-256","d":"…"}'
        onChange={(value) => set({ key: value })}
        error={key !== '' && read === null ? 'This is not a private key in JWK form.' : undefined}
      />
      <Button variant="outline" className="self-start" onClick={() => void generate()}>
        <KeyRound aria-hidden /> Generate a key
      </Button>
      {keySet === '' ? null : (
        <div>
          <div className="mb-1 flex items-center justify-between gap-2">
            <p className="text-xs text-muted-foreground">Register this key set at the server:</p>
            <CopyButton value={keySet} label="Copy public key set" />
          </div>
          <SafeText label="Public key set" text={keySet} className="max-h-40" />
        </div>
      )}
    </div>
  );
}
