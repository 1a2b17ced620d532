import { useController, useFormContext, useWatch } from 'react-hook-form';
import { TextField } from '@/components/form/fields/text-field';
import type { AssessmentValues } from '@/components/oauth/assessments/form/form-values';
import { Unlocks } from '@/components/oauth/assessments/form/unlocked';
import { useRedirectUri } from '@/components/oauth/assessments/links';
import { Alert } from '@/components/ui/alert';
import { TitledCard } from '@/components/ui/card';
import { Segmented } from '@/components/ui/segmented';

const WORDS: Record<AssessmentValues['login'], string> = {
  browser:
    "A window opens the server's own page. Sign in and agree once; the window then fetches every code by itself.",
  cookie: 'For a test account: the Cookie header of a browser that is signed in at the server.',
  none: 'Only controls that need no code are decided.',
};

/** Fields that define how authorization codes are obtained. */
export function SignInFields() {
  const { control } = useFormContext<AssessmentValues>();
  const { field } = useController({ control, name: 'login' });
  const redirectUri = useWatch({ control, name: 'client.redirect_uri' });
  const own = useRedirectUri();
  return (
    <TitledCard
      title={
        <span className="flex flex-wrap items-center gap-2.5">
          Sign in {field.value === 'none' ? <Unlocks more={['login']} /> : null}
        </span>
      }
      className="flex flex-col gap-3"
    >
      <Segmented
        label="How codes are obtained"
        value={field.value}
        onChange={field.onChange}
        options={[
          { value: 'browser', label: 'In a window' },
          { value: 'cookie', label: 'Cookie' },
          { value: 'none', label: 'No sign-in' },
        ]}
      />
      <p className="text-sm text-muted-foreground">{WORDS[field.value]}</p>
      {field.value === 'browser' && redirectUri.trim() !== '' && redirectUri.trim() !== own ? (
        <Alert>
          The redirect URI is not Sluice's, so nothing comes back automatically: you paste the address of the page that
          the server sends the browser to, once for each code.
        </Alert>
      ) : null}
      {field.value === 'cookie' ? (
        <TextField
          control={control}
          name="cookie"
          label="Cookie"
          type="password"
          placeholder="session=…; session.sig=…"
          hint="Not kept, and not part of the report."
          code
        />
      ) : null}
    </TitledCard>
  );
}
