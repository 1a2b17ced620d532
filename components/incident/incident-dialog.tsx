import { zodResolver } from '@hookform/resolvers/zod';
import { useState } from 'react';
import { useForm, useWatch } from 'react-hook-form';
import { z } from 'zod';
import { call } from '@/components/api/call';
import { EndChoice } from '@/components/form/fields/end-choice';
import { Field } from '@/components/form/fields/field';
import { NumberInput } from '@/components/form/fields/number-input';
import { ReasonField, ReasonInput } from '@/components/form/fields/reason-field';
import { SelectField } from '@/components/form/fields/select-field';
import { FormDialog } from '@/components/form/form-dialog';
import { PreviewNote } from '@/components/form/preview-note';
import { formatAbsoluteTime } from '@/components/format/time';
import { useTimeZone } from '@/components/format/time-zone';
import { describeIncident } from '@/components/incident/incident-words';
import { useIncident } from '@/components/incident/use-incident';
import { INCIDENT_MODES, type IncidentMode } from '@/lib/contract/fields/incident';
import { LONGEST_INCIDENT, SHORTEST_INCIDENT, setIncident } from '@/lib/contract/incident';
import { MINUTE } from '@/lib/units';

/** Durations in minutes. */
const PRESETS = [
  { value: '30', label: '30 min' },
  { value: '60', label: '1 h' },
  { value: '240', label: '4 h' },
  { value: '1440', label: '24 h' },
] as const;

const IncidentForm = z
  .object({
    mode: z.enum(INCIDENT_MODES),
    factor: z.number('Enter a number.'),
    end: z
      .object({ preset: z.enum(['30', '60', '240', '1440', 'custom']), custom: z.string() })
      .refine(({ preset, custom }) => preset !== 'custom' || isAllowedDuration(Date.parse(custom) - Date.now()), {
        error: 'Choose a time 15 minutes to 24 hours from now.',
        path: ['custom'],
      }),
    reason: ReasonInput,
  })
  .refine(({ mode, factor }) => isFactor(mode, factor), { error: 'Enter 0.1 to 10.', path: ['factor'] })
  .refine(({ mode, factor }) => mode !== 'factor' || Number.isInteger(Math.round(factor * 1e6) / 1e4), {
    error: 'At most two decimals.',
    path: ['factor'],
  });

/** True if the factor is valid or the mode needs none. */
function isFactor(mode: IncidentMode, factor: number): boolean {
  return mode !== 'factor' || (factor >= 0.1 && factor <= 10);
}

function isAllowedDuration(duration: number): boolean {
  return duration >= SHORTEST_INCIDENT * MINUTE && duration <= LONGEST_INCIDENT * MINUTE;
}

/** Returns the chosen end. Empty if there is none. */
function computeEnd({ preset, custom }: { preset: string; custom: string }, now: number): string {
  return preset === 'custom' ? custom : new Date(now + Number(preset) * MINUTE).toISOString();
}

const MODES = [
  { value: 'observe', label: 'Observe only', hint: 'Count, but refuse nothing' },
  { value: 'factor', label: 'A factor on all limits', hint: 'Tighten or loosen every limit at once' },
  { value: 'read_only', label: 'Read-only', hint: 'Refuse writes, serve reads' },
] as const;

const WORDS = {
  observe:
    'Requests are counted as usual. What a limit or a quota would refuse is let through and recorded as observed. An unknown API key and the throttle still refuse.',
  factor:
    'The limits of classes, clients and overrides are multiplied. What was counted stays counted. Quotas stay as they are.',
  read_only: 'Writes are answered with 503 until the end, from allowlisted callers too. Reads and sign-ins continue.',
} as const;

/** Starts or changes an incident, which temporarily changes how every request is decided. It ends automatically. */
export default function IncidentDialog({ onClose }: { onClose: () => void }) {
  const present = useIncident();
  const { zone } = useTimeZone();
  const form = useForm({
    resolver: zodResolver(IncidentForm),
    defaultValues: {
      mode: present?.mode ?? ('observe' as const),
      factor: present?.factor ?? 0.5,
      end: { preset: '60' as const, custom: '' },
      reason: '',
    },
  });
  const { control, setValue, formState } = form;
  const [mode, factor] = useWatch({ control, name: ['mode', 'factor'] });
  // The preview uses a fixed end, because the affected traffic does not depend on the end.
  const [until] = useState(() => new Date(Date.now() + LONGEST_INCIDENT * 0.5 * MINUTE).toISOString());
  const foreseen = { mode, until, reason: 'Preview', ...(mode === 'factor' ? { factor } : {}) };
  return (
    <FormDialog
      form={form}
      title={present ? 'Change the incident' : 'Start an incident'}
      description="Applies to the next request on every instance, and ends by itself."
      submitLabel={present ? 'Change' : 'Start'}
      destructive
      send={({ mode, factor, end, reason }) =>
        call(setIncident, {
          body: { mode, until: computeEnd(end, Date.now()), reason, ...(mode === 'factor' ? { factor } : {}) },
        })
      }
      changes="incident"
      draft={false}
      done={({ auditSeq, value }) => ({
        title: `In force: ${describeIncident(value)}`,
        description: `Until ${formatAbsoluteTime(value.until, zone)}.`,
        auditSeq,
      })}
      onClose={onClose}
    >
      <SelectField control={control} name="mode" label="Mode" options={MODES} />
      {mode === 'factor' ? (
        <Field label="Factor" hint="0.5 halves all limits, 2 doubles them." error={formState.errors.factor?.message}>
          {(ids) => (
            <NumberInput
              {...ids}
              value={factor}
              className="w-32"
              onChange={(value) =>
                setValue('factor', value, { shouldDirty: true, shouldValidate: formState.isSubmitted })
              }
            />
          )}
        </Field>
      ) : null}
      <p className="rounded-md bg-muted px-3 py-2.5 text-sm" aria-live="polite">
        {WORDS[mode]}
      </p>
      <PreviewNote contract={setIncident} input={isFactor(mode, factor) ? { body: foreseen } : null} />
      <EndChoice
        control={control}
        name="end"
        label="For"
        customLabel="Date and time of the end"
        presets={PRESETS}
        computeEnd={computeEnd}
      />
      <ReasonField control={control} name="reason" example="Paying customers have been refused since 14:00" />
    </FormDialog>
  );
}
