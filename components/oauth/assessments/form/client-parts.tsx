import { Plus, X } from 'lucide-react';
import type { ReactNode } from 'react';
import { useFormContext, useWatch } from 'react-hook-form';
import { TextField } from '@/components/form/fields/text-field';
import type { AssessmentValues, Part } from '@/components/oauth/assessments/form/form-values';
import { SignInFields } from '@/components/oauth/assessments/form/sign-in-fields';
import { Unlocks } from '@/components/oauth/assessments/form/unlocked';
import { listPartNeeds } from '@/components/oauth/assessments/form/unlocks';
import { loadOnDemand } from '@/components/shell/load-on-demand';
import { Button } from '@/components/ui/button';
import { Card, CardContent, CardHeader, CardTitle } from '@/components/ui/card';
import type { Need } from '@/lib/oauth/controls/control';

const ClientFields = loadOnDemand(() => import('@/components/oauth/assessments/form/client-fields'));

/**
 * Optional parts that allow more controls to be decided: clients, the sign-in, a resource. Each shows how many it
 * unlocks.
 */
export function ClientParts() {
  const { control } = useFormContext<AssessmentValues>();
  const [withClient, where] = useWatch({ control, name: ['added.client', 'where'] });
  return (
    <>
      <PartCard part="client" title="Client" text="Registered at the server for this assessment.">
        <ClientFields name="client" />
      </PartCard>
      {withClient ? <SignInFields /> : null}
      {withClient ? (
        <PartCard
          part="other_client"
          title="Second client"
          text="Shows whether codes and tokens of one client work for the other; with a secret, whether it is checked."
        >
          <ClientFields name="other_client" />
        </PartCard>
      ) : null}
      {withClient && where !== 'resource_url' ? (
        <PartCard part="resource" title="Resource server" text="Shows whether forged and foreign tokens are refused.">
          <ResourceFields />
        </PartCard>
      ) : null}
      {withClient ? (
        <PartCard
          part="native_client"
          title="Native client"
          text="An app with a loopback redirect URI: shows whether any port is allowed."
        >
          <ClientFields name="native_client" />
        </PartCard>
      ) : null}
    </>
  );
}

function PartCard(props: { part: Part; title: string; text: string; children: ReactNode }) {
  const { part, title, text, children } = props;
  const { control, setValue, clearErrors } = useFormContext<AssessmentValues>();
  const values = useWatch({ control }) as AssessmentValues;
  const isAdded = values.added[part];
  const more: Need[] = part === 'client' ? [...listPartNeeds(part, values), 'login'] : listPartNeeds(part, values);
  const set = (on: boolean) => {
    setValue(`added.${part}`, on, { shouldDirty: true });
    clearErrors(part);
  };
  return (
    <Card aria-label={title}>
      <CardHeader className="flex-nowrap py-3">
        <div className="min-w-0">
          <CardTitle className="flex flex-wrap items-center gap-x-2.5 gap-y-1">
            {title} {isAdded ? null : <Unlocks more={more} />}
          </CardTitle>
          <p className="text-sm text-muted-foreground">{text}</p>
        </div>
        {isAdded ? (
          <Button variant="ghost" size="sm" aria-label={`Remove: ${title}`} onClick={() => set(false)}>
            <X aria-hidden /> Remove
          </Button>
        ) : (
          <Button variant="outline" size="sm" aria-label={`Add: ${title}`} onClick={() => set(true)}>
            <Plus aria-hidden /> Add
          </Button>
        )}
      </CardHeader>
      {isAdded ? <CardContent>{children}</CardContent> : null}
    </Card>
  );
}

function ResourceFields() {
  const { control } = useFormContext<AssessmentValues>();
  return (
    <div className="grid gap-x-5 gap-y-4 sm:grid-cols-2">
      <TextField
        control={control}
        name="resource.url"
        label="URL"
        hint="Answers GET with an access token of the client."
        placeholder="https://api.example.com/me"
        code
      />
      <TextField
        control={control}
        name="resource.scope"
        label="Scope that it needs"
        hint="Shows whether a token without it is refused."
        placeholder="profile"
        optional
        code
      />
    </div>
  );
}
