import { zodResolver } from '@hookform/resolvers/zod';
import { useState } from 'react';
import { useForm, useWatch } from 'react-hook-form';
import { call } from '@/components/api/call';
import { useCall } from '@/components/api/use-call';
import { computeExpiry } from '@/components/form/fields/expiry-field';
import { SelectField } from '@/components/form/fields/select-field';
import { FormDialog } from '@/components/form/form-dialog';
import { useNow } from '@/components/format/use-now';
import { buildEntryValues, type EntryDialogProps, EntryInputs } from '@/components/identifier/entry-fields';
import { createConflictError, ExistingEntry, useSettledTarget } from '@/components/identifier/existing-entry';
import type { Target } from '@/components/links/target';
import { LimitInputs, OverrideForm } from '@/components/overrides/limit-inputs';
import { type ClassOverride, identifyOverride, isOfClass, nameLimit } from '@/components/overrides/override-words';
import SubjectOverrideDialog from '@/components/overrides/subject-override-dialog';
import { useLongestLife, validateLife } from '@/components/policies/longest-life';
import { Alert } from '@/components/ui/alert';
import { shorten } from '@/components/ui/shorten';
import { CLASS_NAMES, CLASS_OPTIONS } from '@/components/vocabulary/class-names';
import type { OverriddenType } from '@/lib/contract/fields/enumerations';
import { parseIdentifier, parseOverriddenIdentifier } from '@/lib/contract/fields/identifier';
import { listOverrides, type Override, putOverride } from '@/lib/contract/overrides';
import type { EndpointClass } from '@/lib/limiter/meter';

/** `class` is the initial class, whose current limit is filled in. */
interface OverrideDialogProps extends EntryDialogProps<Override> {
  class?: EndpointClass;
}

/** Overrides a limit of an address, a user, or the subject of a named limit. */
export default function OverrideDialog({ row, initial, ...props }: OverrideDialogProps) {
  const [type, setType] = useState<OverriddenType>(row?.type ?? initial?.type ?? 'ip');
  if (type === 'subject')
    return <SubjectOverrideDialog {...props} {...(row && { row })} onKind={row || initial ? undefined : setType} />;
  return (
    <ClassOverrideDialog
      {...props}
      {...(row !== undefined && isOfClass(row) && { row })}
      initial={initial ?? { type, identifier: '' }}
      onSubject={row || initial ? undefined : () => setType('subject')}
    />
  );
}

interface ClassOverrideDialogProps extends EntryDialogProps<ClassOverride> {
  class?: EndpointClass;
  onSubject: (() => void) | undefined;
}

const buildClassValues = (entry: ClassOverride | undefined, endpointClass: EndpointClass) => ({
  class: entry?.class ?? endpointClass,
  limit: entry === undefined ? '' : String(entry.limit),
  window_seconds: entry === undefined ? '' : String(entry.window_seconds),
});

const buildInput = (target: Target, endpointClass: EndpointClass) => ({
  query: { ...target, class: endpointClass, status: 'active' as const },
});

/** True if the override will apply to the network of the typed IPv6 address or range instead of the typed text. */
const isNetworkOfOne = (target: Target | null, typed: string): target is Target =>
  target?.type === 'ip' && target.identifier !== parseIdentifier('ip', typed.trim());

/** Overrides a limit, starting from the current one. An existing override is edited, not replaced. */
function ClassOverrideDialog(props: ClassOverrideDialogProps) {
  const { initial, row, class: first = 'read', onSubject, onClose } = props;
  const [entry, setEntry] = useState(row);
  const form = useForm({
    resolver: zodResolver(OverrideForm.superRefine(validateLife(useLongestLife()))),
    defaultValues: { ...buildEntryValues(initial, entry, '7d'), ...buildClassValues(entry, first) },
  });
  const { control } = form;
  const [type, identifier, endpointClass] = useWatch({ control, name: ['type', 'identifier', 'class'] });
  const target = useSettledTarget({ type, identifier }, parseOverriddenIdentifier);
  const found = useCall(
    ['overrides', 'existing', target?.type, target?.identifier, endpointClass],
    listOverrides,
    buildInput(target ?? { type, identifier: '-' }, endpointClass),
    { enabled: entry === undefined && target !== null },
  );
  const existing = entry === undefined && target ? found.data?.value.find(isOfClass) : undefined;
  const now = useNow();
  const isInForce = entry !== undefined && (entry.expires_at === null || Date.parse(entry.expires_at) > (now ?? 0));
  const edit = (which: ClassOverride) => {
    setEntry(which);
    form.reset({ ...buildEntryValues(undefined, which, '7d'), ...buildClassValues(which, which.class) });
  };
  return (
    <FormDialog
      form={form}
      title={entry ? 'Edit override' : 'Override a limit'}
      description="Replaces the policy's limit for this identifier in one class. Where ranges overlap, the most specific one applies."
      submitLabel="Save"
      send={async ({ expiry, confirm: _, ...sent }) => {
        if (entry === undefined) {
          const canonical = parseOverriddenIdentifier(sent.type, sent.identifier) ?? sent.identifier;
          const there = await call(listOverrides, buildInput({ type: sent.type, identifier: canonical }, sent.class));
          if (there.value[0]) {
            await found.refetch();
            throw createConflictError('It has an override in this class already. Edit that one.');
          }
        }
        return call(putOverride, { body: { ...sent, expires_at: computeExpiry(expiry, Date.now()) } });
      }}
      changes={['overrides', 'exceptions']}
      managed={entry?.managed ? identifyOverride(entry) : null}
      done={({ auditSeq, value: saved }) => ({
        title: `The ${nameLimit(saved)} limit of ${shorten(saved.identifier)} is overridden`,
        auditSeq,
        description: 'It applies from the next request.',
      })}
      onClose={onClose}
    >
      <EntryInputs
        locked={entry !== undefined}
        onSubject={onSubject}
        reasonExample="Contract with a partner"
        note={
          <>
            {isNetworkOfOne(target, identifier) ? (
              <Alert variant="warning" title={`Applies to all of ${target.identifier}`}>
                The addresses of a /64 network share one counter.
              </Alert>
            ) : null}
            {existing ? (
              <ExistingEntry
                what={`Already overridden in ${CLASS_NAMES[existing.class]}`}
                entry={existing}
                onEdit={() => edit(existing)}
              />
            ) : null}
          </>
        }
      >
        <SelectField
          control={control}
          name="class"
          label="Class"
          options={CLASS_OPTIONS}
          disabled={entry !== undefined}
        />
        <LimitInputs target={target} isNew={entry === undefined} edited={isInForce ? entry : null} />
      </EntryInputs>
    </FormDialog>
  );
}
