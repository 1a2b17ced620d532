import { ScanSearch, Search } from 'lucide-react';
import { useCall } from '@/components/api/use-call';
import { SUBJECT_ACTIONS, useSubjectActions } from '@/components/identifier/subject-actions';
import { buildInspectHref, type Target } from '@/components/links/target';
import type { Command, Stage } from '@/components/palette/command';
import { createChangesCommand } from '@/components/palette/create-changes-command';
import { findTarget, searchTarget } from '@/components/palette/search-target';
import { inspectCounters } from '@/lib/contract/counters';
import { listDecisions } from '@/lib/contract/decisions';

const nameGroup = ({ type }: Target) => (type === 'ip' ? 'Address' : 'User');

/** True if the user has used part of a limit, is allowlisted, or has a logged decision. */
function useHasActivity(target: Target | null): boolean {
  const { type = 'user_id', identifier = '' } = target ?? {};
  const options = { enabled: target?.type === 'user_id', staleTime: 15_000 };
  const counters = useCall(
    ['counters', 'palette', identifier],
    inspectCounters,
    { query: { type, identifier } },
    options,
  );
  const decisions = useCall(
    ['decisions', 'palette', identifier],
    listDecisions,
    { query: { type, identifier, limit: '1' } },
    options,
  );
  if (target?.type !== 'user_id') return false;
  const inspected = counters.data?.value;
  return (
    inspected?.allowlisted === true ||
    inspected?.counters.some(({ used }) => used > 0) === true ||
    (decisions.data?.value.length ?? 0) > 0
  );
}

/**
 * Commands for the typed address or user. Text that names neither only offers a search. `paused` is the text once
 * typing pauses, which is looked up.
 */
export function useIdentityCommands(search: string, paused: string, stage: Stage | null) {
  const actions = useSubjectActions();
  const named = findTarget(search);
  const target = named?.target ?? null;
  /** False if other words surround the name; these select the operation. */
  const isOnlyWord = named?.word === search.trim();
  const hasActivity = useHasActivity(paused === search ? target : null);
  const isCaller = target?.type === 'ip' || hasActivity;
  const buildCommand = (action: (typeof SUBJECT_ACTIONS)[number], caller: Target): Command => ({
    id: `identity.${action.id}:${caller.type}:${caller.identifier}`,
    group: nameGroup(caller),
    label: `${action.command} ${caller.identifier}`,
    icon: action.icon,
    always: isOnlyWord,
    keywords: [named?.word ?? ''],
    needs: action.needs,
    run: () => actions[action.id](caller),
  });
  const inspect = (caller: Target, last: boolean): Command => ({
    id: `inspect:${caller.type}:${caller.identifier}`,
    group: last ? 'Find it' : nameGroup(caller),
    label: `Inspect ${last ? `user “${caller.identifier}”` : caller.identifier}`,
    icon: ScanSearch,
    href: buildInspectHref(caller),
    always: !last && isOnlyWord,
    keywords: [named?.word ?? ''],
    last,
  });
  const words = isCaller && named ? named.word : search.trim();
  const createSearchCommand = (page: string, label: string): Command => ({
    id: `look:${page}`,
    group: 'Find it',
    label: `${label} “${words}”`,
    icon: Search,
    last: true,
    href: `${page}?${new URLSearchParams({ q: words })}`,
  });
  /** A user id may contain spaces, so the whole text can be one. */
  const whole = searchTarget(search);
  const found: Command[] = [
    ...(target && isCaller
      ? [
          inspect(target, false),
          ...SUBJECT_ACTIONS.map((action) => buildCommand(action, target)),
          {
            ...createChangesCommand(
              { group: nameGroup(target), keywords: [named?.word ?? ''] },
              target.identifier,
              target.identifier,
            ),
            always: isOnlyWord,
          },
        ]
      : []),
    ...(whole && !(target && isCaller) ? [inspect(whole, true)] : []),
  ];
  const chosenAction = stage?.of === 'identity' ? SUBJECT_ACTIONS.find(({ id }) => id === stage.verb) : undefined;
  return {
    /** The staged operation for the typed subject. */
    staged: chosenAction && whole ? [buildCommand(chosenAction, whole)] : [],
    found:
      search.trim().length < 2
        ? []
        : [
            ...found,
            createSearchCommand('/decisions', 'Decisions with'),
            createSearchCommand('/audit', 'Changes with'),
          ],
    verbs: SUBJECT_ACTIONS.map(
      ({ id, stage: label, icon, keywords, needs }): Command => ({
        id: `identity.${id}`,
        group: 'Rate limits',
        label,
        icon,
        keywords,
        needs,
        ...(id === 'override' || id === 'allowlist'
          ? { run: () => actions[id]() }
          : { stage: { of: 'identity', title: label, verb: id } }),
      }),
    ),
  };
}
