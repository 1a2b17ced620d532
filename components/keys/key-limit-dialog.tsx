import { zodResolver } from '@hookform/resolvers/zod';
import { useForm, useWatch } from 'react-hook-form';
import { z } from 'zod';
import { call } from '@/components/api/call';
import { ReasonField, ReasonInput } from '@/components/form/fields/reason-field';
import { FormDialog } from '@/components/form/form-dialog';
import { PreviewNote } from '@/components/form/preview-note';
import { buildWindows, buildWindowValues, WindowRows } from '@/components/named-limits/limit-form-values';
import { describeNumbers, describeNumbersInline } from '@/components/named-limits/limit-sentence';
import { useNamedLimits } from '@/components/named-limits/limits';
import { WindowsEditor } from '@/components/named-limits/windows-editor';
import { type ApiKeyWithUsage, updateApiKey } from '@/lib/contract/keys';

const OwnNumbers = z.object({ windows: WindowRows, reason: ReasonInput });

interface KeyLimitDialogProps {
  apiKey: ApiKeyWithUsage;
  /** Name of the limit. */
  name: string;
  onClose: () => void;
}

/** Sets the windows of a key under a named limit. Without windows, those of its tier or of the limit apply. */
export default function KeyLimitDialog({ apiKey, name, onClose }: KeyLimitDialogProps) {
  const limit = useNamedLimits().data?.value.find((each) => each.name === name);
  const others = limit?.tiers[apiKey.tier] ?? limit?.windows ?? [];
  const own = Object.hasOwn(apiKey.limits, name) ? apiKey.limits[name] : undefined;
  const form = useForm({
    resolver: zodResolver(OwnNumbers),
    defaultValues: { windows: buildWindowValues(own ?? others), reason: '' },
  });
  const rows = useWatch({ control: form.control, name: 'windows' });
  const unit = limit?.unit ?? 'requests';
  const saved = { windows: own ?? others, unit };
  const then = describeNumbers({ windows: rows.length === 0 ? others : rows, unit });
  const body = { limits: { [name]: rows.length === 0 ? null : buildWindows(rows) } };
  return (
    <FormDialog
      form={form}
      title={`${name} for ${apiKey.name}`}
      description="Windows for this key only. If you remove all, those of its tier or of the limit apply again."
      submitLabel="Save"
      send={({ windows, reason }) =>
        call(updateApiKey, {
          params: { id: apiKey.id },
          query: { reason },
          body: { limits: { [name]: windows.length === 0 ? null : buildWindows(windows) } },
        })
      }
      managed={apiKey.managed ? { kind: 'api_keys', id: apiKey.name } : null}
      changes={['api-keys', 'counters', 'limits']}
      draft={`limit ${name} of key ${apiKey.id}`}
      done={({ auditSeq }) => ({
        title: `${name} of ${apiKey.name} is saved`,
        description: then === '' ? undefined : `${then}.`,
        auditSeq,
      })}
      onClose={onClose}
    >
      <WindowsEditor name="windows" label={name} unit={unit} />
      <p aria-live="polite" className="rounded-md bg-muted px-3 py-2.5 text-sm tabular-nums">
        {then === '' ? (rows.length === 0 ? 'Only its places count.' : 'Enter whole numbers.') : `${then}.`}
        {then !== '' && then !== describeNumbers(saved) ? (
          <span className="text-muted-foreground"> Now: {describeNumbersInline(saved)}.</span>
        ) : null}
      </p>
      <PreviewNote
        contract={updateApiKey}
        input={WindowRows.safeParse(rows).success ? { params: { id: apiKey.id }, body } : null}
      />
      <ReasonField control={form.control} name="reason" example="Their plan includes more, ticket 415" />
    </FormDialog>
  );
}
