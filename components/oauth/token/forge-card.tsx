import { CitedText } from '@/components/format/cited-text';
import { CopyButton } from '@/components/format/copy-button';
import { SafeText } from '@/components/oauth/safe-text';
import { ColouredToken } from '@/components/oauth/token/coloured-token';
import { JsonEditor } from '@/components/oauth/token/json-editor';
import { LabPanel } from '@/components/oauth/token/lab-panel';
import { SigningFields } from '@/components/oauth/token/signing-fields';
import { useForgery } from '@/components/oauth/token/use-forgery';
import type { WorkbenchLab } from '@/components/oauth/token/workbench-lab';
import { Alert } from '@/components/ui/alert';
import { Button } from '@/components/ui/button';
import { TitledCard } from '@/components/ui/card';
import { cn } from '@/components/ui/cn';
import { Disclosure } from '@/components/ui/disclosure';
import { FORGERIES } from '@/lib/oauth/token/forgeries';
import type { KeyToVerify } from '@/lib/oauth/token/read-keys';
import type { SignedToken } from '@/lib/oauth/token/read-token';

interface ForgeCardProps {
  reading: SignedToken;
  /** Keys that verify the genuine token. A public one can be misused as a secret. */
  keys: readonly KeyToVerify[];
  lab: WorkbenchLab | null;
  onOpen: (token: string) => void;
}

/** Edits the token, signs it with a throwaway key or an attack, and tries the result on the lab. */
export function ForgeCard({ reading, keys, lab, onOpen }: ForgeCardProps) {
  const { state, change, play, result, publicJwk } = useForgery(reading, keys);
  const token = result !== null && 'token' in result ? result.token : null;
  return (
    <TitledCard
      title="Forge"
      description="Change the token and sign it again. Real servers must refuse every one of these."
      className="grid items-start gap-x-6 gap-y-5 lg:grid-cols-2 xl:grid-cols-3"
    >
      <div className="flex min-w-0 flex-col gap-4">
        <fieldset className="min-w-0">
          <legend className="mb-1.5 text-sm font-medium">Attack</legend>
          <div className="flex flex-wrap gap-1.5">
            {FORGERIES.map(({ id, title }) => (
              <Button
                key={id}
                size="sm"
                variant="outline"
                aria-pressed={state.forgery?.id === id}
                className={cn(state.forgery?.id === id && 'border-primary bg-primary-soft text-primary')}
                onClick={() => play(state.forgery?.id === id ? '' : id)}
              >
                {title}
              </Button>
            ))}
          </div>
          <p aria-live="polite" className="mt-1.5 min-h-4.5 text-xs text-muted-foreground">
            {state.forgery === null ? 'Choose one, or edit the parts below.' : `Tries: ${state.forgery.tries}`}
          </p>
        </fieldset>
        <JsonEditor
          label="Header to sign"
          hint={state.signing === 'kept' ? null : '“alg” follows from how it is signed.'}
          text={state.header}
          onChange={(header) => change({ header })}
        />
        <JsonEditor label="Claims to sign" text={state.payload} onChange={(payload) => change({ payload })} />
      </div>
      <div className="flex min-w-0 flex-col gap-4">
        <SigningFields state={state} change={change} />
        {result !== null && 'problem' in result ? (
          <Alert variant="warning">
            <CitedText>{result.problem}</CitedText>
          </Alert>
        ) : null}
        {token === null ? null : (
          <section aria-label="Forged token" className="min-w-0">
            <div className="mb-1.5 flex items-center gap-2">
              <h3 className="text-sm font-medium">Forged token</h3>
              <CopyButton value={token} label="Copy forged token" />
              <Button
                size="sm"
                variant="ghost"
                className="ml-auto"
                onClick={() => {
                  onOpen(token);
                  window.scrollTo({ top: 0 });
                }}
              >
                Take it apart
              </Button>
            </div>
            <ColouredToken token={token} label="Forged token in colours" />
            {publicJwk === null ? null : (
              <Disclosure className="mt-2 -ml-1.5" title="The throwaway key that verifies it">
                <SafeText label="Throwaway key as JWK" text={JSON.stringify(publicJwk)} />
              </Disclosure>
            )}
          </section>
        )}
      </div>
      {lab === null || token === null ? null : <LabPanel lab={lab} token={token} />}
    </TitledCard>
  );
}
