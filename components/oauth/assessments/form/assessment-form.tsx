import { Play } from 'lucide-react';
import { useFormContext, useWatch } from 'react-hook-form';
import { FormFault } from '@/components/form/api-form';
import { TextField } from '@/components/form/fields/text-field';
import { useCatalogue } from '@/components/oauth/assessments/catalogue';
import { ClientParts } from '@/components/oauth/assessments/form/client-parts';
import type { AssessmentValues } from '@/components/oauth/assessments/form/form-values';
import { MoreFields } from '@/components/oauth/assessments/form/more-fields';
import { listNeeds, selectDecidable } from '@/components/oauth/assessments/form/unlocks';
import { WhereFields } from '@/components/oauth/assessments/form/where-fields';
import { ProgressBar } from '@/components/oauth/assessments/progress-bar';
import { loadOnDemand } from '@/components/shell/load-on-demand';
import { RoleButton } from '@/components/shell/role-button';
import { Alert } from '@/components/ui/alert';
import { Card, CardContent, TitledCard } from '@/components/ui/card';
import { formatNumber } from '@/lib/format-number';
import { sumRequests } from '@/lib/oauth/assessment/sum-requests';

const LabControls = loadOnDemand(() => import('@/components/oauth/assessments/form/lab-controls'));

interface AssessmentFormProps {
  fault: unknown;
  onStart: (values: AssessmentValues) => void;
}

/** Form of an assessment: the address of the server first, then its further details. */
export function AssessmentForm({ fault, onStart }: AssessmentFormProps) {
  const { control, handleSubmit } = useFormContext<AssessmentValues>();
  const where = useWatch({ control, name: 'where' });
  return (
    <form
      method="post"
      noValidate
      onSubmit={handleSubmit(onStart)}
      className="grid items-start gap-5 lg:grid-cols-[minmax(0,1fr)_18rem]"
    >
      <div className="flex min-w-0 flex-col gap-5">
        <FormFault error={fault} />
        <TitledCard title="Target" className="flex flex-col gap-4">
          <WhereFields />
        </TitledCard>
        {where === 'lab' ? (
          <LabControls />
        ) : (
          <>
            {where === 'url' ? null : <ClientParts />}
            <MoreFields />
          </>
        )}
      </div>
      <Prospect />
    </form>
  );
}

/** Shows how many controls will be decided, with the start button. */
function Prospect() {
  const { control } = useFormContext<AssessmentValues>();
  const values = useWatch({ control }) as AssessmentValues;
  const controls = useCatalogue();
  const lab = values.where === 'lab';
  const given = listNeeds(values);
  const decided = controls && (lab ? controls : selectDecidable(controls, given));
  return (
    <Card aria-label="Start" className="lg:sticky lg:top-5">
      <CardContent className="flex flex-col gap-4 pt-4">
        <TextField
          control={control}
          name="name"
          label="Name of the report"
          optional
          placeholder="Staging, after the update"
        />
        {/* Its place is kept until the catalogue is read. */}
        <div className="flex min-h-16 flex-col gap-1.5" aria-live="polite">
          {controls && decided !== undefined ? (
            <>
              <p className="text-sm">
                {values.where === 'url' ? 'Up to ' : ''}
                <span className="text-xl font-semibold tabular-nums">{decided.length}</span>{' '}
                <span className="text-muted-foreground">of {controls.length} controls can be decided</span>
              </p>
              <ProgressBar label="Controls that can be decided" value={decided.length} max={controls.length} />
              {lab ? null : (
                <p className="text-xs text-muted-foreground tabular-nums">
                  About {formatNumber(sumRequests(controls, given))} requests.
                </p>
              )}
            </>
          ) : null}
        </div>
        {lab ? null : (
          <Alert variant="warning" title="Only with permission">
            It sends forged tokens, wrong secrets and invented codes. Assess only servers that you may test.
          </Alert>
        )}
        <RoleButton needs={lab ? 'viewer' : 'operator'} type="submit" size="lg">
          <Play aria-hidden /> Start the assessment
        </RoleButton>
      </CardContent>
    </Card>
  );
}
