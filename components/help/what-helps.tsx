import { Check, Undo2 } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { useUndo } from '@/components/api/use-undo';
import type { Done } from '@/components/help/actions/action-form';
import { ClientActions, QuotaActions } from '@/components/help/actions/key-actions';
import { LimitActions } from '@/components/help/actions/limit-actions';
import { SubjectActions } from '@/components/help/actions/subject-actions';
import type { HelpRequest } from '@/components/links/help-target';
import { RoleGate } from '@/components/shell/role-gate';
import { Button } from '@/components/ui/button';
import type { LoggedDecision } from '@/lib/contract/decisions';
import type { DecisionExplanation } from '@/lib/contract/explain';

const OWN = { ip: 'ip', user_id: 'user', api_key: 'client', client_id: 'client', subject: 'limit' } as const;
const TYPES = { ip: 'ip', user: 'user_id' } as const;

/** Chooses the subject to act on: the one that refuses now, else the one that refused, else the caller itself. */
export function chooseSubjectKind(
  request: HelpRequest,
  decision: Pick<LoggedDecision, 'subject'> | undefined,
  explanation: Pick<DecisionExplanation, 'refused_by'>,
): DecisionExplanation['refused_by'][number] | null {
  const [refusing] = explanation.refused_by;
  if (refusing) return refusing;
  if (decision?.subject === 'global') return null;
  return decision?.subject ?? OWN[request.type];
}

/** Finds the limit to act on. Of several named limits it prefers one that refuses now to the one that refused. */
function findLimitToActOn(
  { subjects }: DecisionExplanation,
  kind: DecisionExplanation['refused_by'][number] | null,
  decision: LoggedDecision | undefined,
) {
  const ofKind = subjects.filter(({ subject }) => subject === kind);
  return (
    ofKind.find(({ refuses }) => refuses) ??
    ofKind.find(({ limit_name: name = null }) => name === decision?.limit_name) ??
    ofKind[0]
  );
}

/**
 * Returns the identifier for an exemption. An IPv6 address is replaced by its counted network, unless its own override
 * exists, which would take precedence.
 */
function chooseIdentifier({
  identifier,
  counted_as: counted,
  source,
}: DecisionExplanation['subjects'][number]): string {
  return source.kind === 'override' && source.identifier === identifier ? identifier : counted;
}

interface WhatHelpsProps {
  request: HelpRequest;
  decision: LoggedDecision | undefined;
  explanation: DecisionExplanation;
}

/**
 * Lists actions that help the refused subject, mildest first, and the finished action with its undo. Renders nothing if
 * no subject is refused.
 */
export function WhatHelps({ request, decision, explanation }: WhatHelpsProps) {
  const [open, setOpen] = useState<string | null>(null);
  const [done, setDone] = useState<Done | null>(null);
  const kind = chooseSubjectKind(request, decision, explanation);
  const subject = findLimitToActOn(explanation, kind, decision);
  const buildRowProps = (id: string) => ({
    open: open === id,
    onToggle: () => setOpen(open === id ? null : id),
  });
  const onDone = (what: Done) => {
    setOpen(null);
    setDone(what);
  };
  const { class: endpointClass } = explanation;
  if (kind === null || (kind === 'quota' ? explanation.quota === null : subject === undefined)) return null;
  return (
    <section aria-labelledby="help-what-helps" className="flex flex-col gap-2">
      <h3 id="help-what-helps" className="text-sm font-semibold">
        What helps
      </h3>
      {done ? <DoneNote done={done} onUndone={() => setDone(null)} /> : null}
      <RoleGate needs="operator">
        <ul className="divide-y overflow-hidden rounded-lg border bg-card">
          {subject !== undefined && endpointClass !== null && (kind === 'ip' || kind === 'user') ? (
            <SubjectActions
              key={subject.subject}
              row={buildRowProps}
              explanation={explanation}
              subject={subject}
              endpointClass={endpointClass}
              target={{ type: TYPES[kind], identifier: chooseIdentifier(subject) }}
              onDone={onDone}
            />
          ) : null}
          {subject !== undefined && kind === 'limit' ? (
            <LimitActions row={buildRowProps} explanation={explanation} subject={subject} onDone={onDone} />
          ) : null}
          {kind === 'client' ? <ClientActions row={buildRowProps} explanation={explanation} onDone={onDone} /> : null}
          {kind === 'quota' ? <QuotaActions row={buildRowProps} explanation={explanation} onDone={onDone} /> : null}
        </ul>
      </RoleGate>
    </section>
  );
}

function DoneNote({ done, onUndone }: { done: Done; onUndone: () => void }) {
  const { undo } = useUndo();
  const [pending, setPending] = useState(false);
  const ref = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (done) ref.current?.focus();
  }, [done]);
  const { auditSeq } = done;
  const undoChange = async (seq: number) => {
    setPending(true);
    await undo(seq);
    onUndone();
  };
  return (
    <div
      ref={ref}
      tabIndex={-1}
      role="status"
      className="flex items-center gap-2.5 rounded-md bg-success-soft px-3 py-2 text-sm text-success-text outline-none"
    >
      <Check aria-hidden className="size-4 shrink-0" />
      <p className="min-w-0 flex-1 break-words">{done.text}</p>
      {auditSeq === null ? null : (
        <Button
          variant="outline"
          size="sm"
          className="text-foreground"
          pending={pending}
          onClick={() => void undoChange(auditSeq)}
        >
          <Undo2 aria-hidden /> Undo
        </Button>
      )}
    </div>
  );
}
