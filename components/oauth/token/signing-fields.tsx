import { useId } from 'react';
import { Field } from '@/components/form/fields/field';
import type { ForgeryInProgress } from '@/components/oauth/token/use-forgery';
import { VerbatimField } from '@/components/oauth/verbatim-field';
import { Checkbox } from '@/components/ui/checkbox';
import { NativeSelect } from '@/components/ui/native-select';
import { ALGORITHMS } from '@/lib/oauth/token/algorithms';
import { SIGNINGS, type Signing, SPELLINGS_OF_NONE } from '@/lib/oauth/token/forgeries';

const WAYS: Readonly<Record<Signing, string>> = {
  key: 'A throwaway key, made in this page',
  none: 'No signature (alg: none)',
  confusion: 'HMAC with the public key (confusion)',
  secret: 'HMAC with a secret',
  kept: 'The old signature, kept',
};

const HINTS: Readonly<Partial<Record<Signing, string>>> = {
  confusion: 'The secret is the public key in PEM, of the keys under Signature.',
  kept: 'The header stays as it is written.',
};

const buildOptions = (names: readonly string[]) => names.map((name) => ({ value: name, label: name }));
const HMACS = ALGORITHMS.filter(({ kty }) => kty === 'oct').map(({ name }) => name);

/** Selects how the forged token is signed. */
export function SigningFields({ state, change }: Pick<ForgeryInProgress, 'state' | 'change'>) {
  const { signing } = state;
  const isHmac = signing === 'confusion' || signing === 'secret';
  return (
    <div className="grid gap-3 sm:grid-cols-2 xl:grid-cols-1 2xl:grid-cols-2">
      <Field label="Signed with" hint={HINTS[signing]}>
        {(ids) => (
          <NativeSelect
            {...ids}
            className="h-8"
            value={signing}
            onChange={(event) => change({ signing: SIGNINGS.find((way) => way === event.target.value) ?? 'key' })}
            options={SIGNINGS.map((way) => ({ value: way, label: WAYS[way] }))}
          />
        )}
      </Field>
      {signing === 'kept' ? null : (
        <Algorithm
          {...(signing === 'key'
            ? { names: ALGORITHMS.map(({ name }) => name), value: state.alg, onChange: (alg) => change({ alg }) }
            : isHmac
              ? { names: HMACS, value: state.hmac, onChange: (hmac) => change({ hmac }) }
              : { names: SPELLINGS_OF_NONE, value: state.none, onChange: (none) => change({ none }) })}
        />
      )}
      {signing === 'secret' ? (
        <VerbatimField label="Secret to sign with" value={state.secret} onChange={(secret) => change({ secret })} />
      ) : null}
      {signing === 'key' ? (
        <Choice
          label="Embed its public key in the header (jwk)"
          checked={state.embedKey}
          onChange={(embedKey) => change({ embedKey })}
        />
      ) : null}
      {signing === 'confusion' ? (
        <Choice
          label="End the PEM with a line break, as files do"
          checked={state.lineBreak}
          onChange={(lineBreak) => change({ lineBreak })}
        />
      ) : null}
    </div>
  );
}

interface AlgorithmProps {
  names: readonly string[];
  value: string;
  onChange: (name: string) => void;
}

function Algorithm({ names, value, onChange }: AlgorithmProps) {
  return (
    <Field label="Algorithm (alg)">
      {(ids) => (
        <NativeSelect
          {...ids}
          className="h-8"
          value={value}
          onChange={(event) => onChange(event.target.value)}
          options={buildOptions(names)}
        />
      )}
    </Field>
  );
}

function Choice(props: { label: string; checked: boolean; onChange: (checked: boolean) => void }) {
  const id = useId();
  return (
    <label htmlFor={id} className="flex items-center gap-2 text-sm col-span-full">
      <Checkbox id={id} checked={props.checked} onCheckedChange={(checked) => props.onChange(checked === true)} />
      {props.label}
    </label>
  );
}
