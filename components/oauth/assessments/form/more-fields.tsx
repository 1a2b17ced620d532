import { useState } from 'react';
import { useFormContext, useWatch } from 'react-hook-form';
import { TextField } from '@/components/form/fields/text-field';
import type { AssessmentValues } from '@/components/oauth/assessments/form/form-values';
import { Unlocks } from '@/components/oauth/assessments/form/unlocked';
import { Card } from '@/components/ui/card';
import { Disclosure } from '@/components/ui/disclosure';

const NAMES = ['scope', 'parameters', 'requests_per_second', 'patience_seconds'] as const;

/** Fields that most servers do not need. They expand automatically if one has an error. */
export function MoreFields() {
  const { control, formState } = useFormContext<AssessmentValues>();
  const where = useWatch({ control, name: 'where' });
  const [open, setOpen] = useState(false);
  const wrong = NAMES.some((name) => formState.errors[name] !== undefined);
  return (
    <Card aria-label="More" className="px-2.5 py-2">
      <Disclosure
        open={open || wrong}
        onOpenChange={setOpen}
        title={
          <span className="flex flex-wrap items-center gap-x-2.5 gap-y-1">
            <span className="text-base font-semibold">More</span>
            <span className="text-muted-foreground">
              {where === 'url' ? 'Extra' : 'Scope, extra'} parameters, pace, waiting
            </span>
          </span>
        }
      >
        <div className="grid gap-x-5 gap-y-4 pr-1.5 sm:grid-cols-2">
          {where === 'url' ? null : (
            <TextField
              control={control}
              name="scope"
              label="Scope"
              hint="What the resource needs. With openid and offline_access, ID and refresh tokens are judged too."
              code
            />
          )}
          <TextField
            control={control}
            name="parameters"
            label="Parameters of each authorization request"
            placeholder={'audience=https://api.example.com\nprompt=consent'}
            hint="name=value, one per line."
            optional
            multiline
            code
          />
          <TextField
            control={control}
            name="requests_per_second"
            label="Maximum requests per second"
            placeholder="no limit"
            hint="Retry-After is always honoured."
            inputMode="decimal"
            autoComplete="off"
            optional
          />
          <TextField
            control={control}
            name="patience_seconds"
            label={
              <span className="flex items-center gap-2">
                Wait for expiry, in seconds <Unlocks more={['patience']} />
              </span>
            }
            placeholder="0"
            hint="To see codes and tokens expire; at most 900."
            inputMode="numeric"
            autoComplete="off"
            optional
          />
        </div>
      </Disclosure>
    </Card>
  );
}
