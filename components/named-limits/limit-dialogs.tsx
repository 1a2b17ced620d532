import { zodResolver } from '@hookform/resolvers/zod';
import { useMemo } from 'react';
import { type FieldValues, type UseFormReturn, useForm, useWatch } from 'react-hook-form';
import { call } from '@/components/api/call';
import { useCall } from '@/components/api/use-call';
import { ReasonField, ReasonInput } from '@/components/form/fields/reason-field';
import { FormDialog } from '@/components/form/form-dialog';
import { PreviewNote } from '@/components/form/preview-note';
import { useSubjectActions } from '@/components/identifier/subject-actions';
import { LimitFields } from '@/components/named-limits/limit-fields';
import {
  buildLimitValues,
  buildNamedLimit,
  LimitForm,
  type LimitValues,
} from '@/components/named-limits/limit-form-values';
import { describeLimit } from '@/components/named-limits/limit-sentence';
import { LIMIT_TEMPLATES, type LimitTemplate } from '@/components/named-limits/limit-templates';
import { buildNamedNumbers, buildNumbersValues } from '@/components/named-limits/numbers-form';
import type { RowDialogProps } from '@/components/shell/action';
import { RoleButton } from '@/components/shell/role-button';
import { createLimit, getLimit, type NamedLimit, updateLimit } from '@/lib/contract/named-limits';

/** Creates a named limit. A template fills the form in. */
export function NewLimitDialog({ template, onClose }: { template?: LimitTemplate; onClose: () => void }) {
  const form = useForm({
    resolver: zodResolver(LimitForm),
    defaultValues: buildLimitValues(template === undefined ? NEW_LIMIT : LIMIT_TEMPLATES[template].limit),
  });
  return (
    <FormDialog
      form={form}
      title="New limit"
      description="Limits anything that is counted, for each subject that a check or a route rule names."
      submitLabel="Create limit"
      send={({ reason: _, ...values }) => call(createLimit, { body: buildNamedLimit(values) })}
      changes="limits"
      draft={template === undefined ? undefined : false}
      done={({ value, auditSeq }) => ({
        title: `${value.name} is in force`,
        description: describeLimit(value),
        auditSeq,
      })}
      onClose={onClose}
    >
      <LimitFields isNew />
    </FormDialog>
  );
}

const NEW_LIMIT = { windows: [{ limit: 10, seconds: 60 }] };

const EditForm = LimitForm.safeExtend({ reason: ReasonInput });

/** Shows what the edited limit would change for the traffic of the last hour. */
function EditPreview({ name }: { name: string }) {
  const values = useWatch<LimitValues>() as LimitValues;
  const { success } = LimitForm.safeParse(values);
  const { reason: _, name: __, ...rest } = values;
  const { name: ___, ...body } = buildNamedLimit({ name, ...rest });
  return <PreviewNote contract={updateLimit} input={success ? { params: { name }, body } : null} />;
}

interface TryNumbersProps {
  form: UseFormReturn<LimitValues & { reason: string }, unknown, FieldValues>;
  limit: NamedLimit;
  /** Closes the dialog. What was typed stays as its draft. */
  onStart: () => void;
}

/** Tries the typed numbers as a candidate instead of saving them. */
function TryNumbers({ form, limit, onStart }: TryNumbersProps) {
  const { tryLimit } = useSubjectActions();
  const [windows, places] = useWatch({ control: form.control, name: ['windows', 'in_flight'] });
  const { success } = LimitForm.shape.windows.safeParse(windows);
  const numbers = success
    ? buildNamedNumbers({ windows, in_flight: limit.in_flight === null ? null : places }, limit)
    : {};
  const isChanged =
    success && JSON.stringify(numbers) !== JSON.stringify(buildNamedNumbers(buildNumbersValues(limit), limit));
  const start = () => {
    const reason = form.getValues('reason');
    onStart();
    tryLimit(`limits.${limit.name}`, { numbers, reason });
  };
  return (
    <RoleButton needs="owner" variant="outline" disabled={!isChanged} onClick={start}>
      Try as candidate…
    </RoleButton>
  );
}

/** Edits a named limit. Windows of the same length keep their counts. */
export function EditLimitDialog({ row, onClose }: RowDialogProps<NamedLimit>) {
  const { name } = row;
  const cached = { staleTime: Number.POSITIVE_INFINITY, gcTime: 0 };
  const newest = useCall(['limits', name, 'edit'], getLimit, { params: { name } }, cached);
  const limit = newest.data?.value ?? row;
  const values = useMemo(() => buildLimitValues(limit), [limit]);
  const form = useForm({ resolver: zodResolver(EditForm), values, resetOptions: { keepDirtyValues: true } });
  return (
    <FormDialog
      form={form}
      title={`Edit ${name}`}
      description="A window of the same length keeps its counts; any other starts empty."
      submitLabel="Save"
      loading={newest.isPending}
      loadError={newest.error}
      onStale={() => void newest.refetch()}
      send={({ reason, ...edited }) => {
        const { name: _, ...body } = buildNamedLimit(edited);
        return call(updateLimit, { params: { name }, query: { reason }, body, ifMatch: newest.data?.etag });
      }}
      changes={['limits', 'counters']}
      draft={`limit ${name}`}
      instead={<TryNumbers form={form} limit={limit} onStart={onClose} />}
      done={({ value, auditSeq }) => ({ title: `${name} is saved`, description: describeLimit(value), auditSeq })}
      onClose={onClose}
    >
      <LimitFields isNew={false} />
      <EditPreview name={name} />
      <ReasonField control={form.control} name="reason" example="The provider raised our price" />
    </FormDialog>
  );
}
