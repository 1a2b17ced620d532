import { useCall } from '@/components/api/use-call';
import type { Command, Stage } from '@/components/palette/command';
import { createChangesCommand } from '@/components/palette/create-changes-command';
import { extractName } from '@/components/palette/extract-name';
import { ENTRIES, type FoundResource, GRANTS, KEYS, MEMBERS, OVERRIDES, TOKENS } from '@/components/palette/resources';
import { useLimitCommands } from '@/components/palette/use-limit-commands';
import { labelAction, listOffered, useRunAction } from '@/components/shell/action';
import { useMember } from '@/components/shell/member';

/** Commands for the rows whose name contains a word of the search. `all` returns those of the whole first page. */
function useRowCommands<Row extends { id: string }>(
  resource: FoundResource<Row>,
  search: string,
  all = false,
): Command[] {
  const { kind, group, key, contract, query, actions, page, target } = resource;
  const run = useRunAction();
  const self = useMember();
  const q = extractName(search).slice(0, 256);
  const options = { enabled: all || q.length >= 2, staleTime: 15_000 };
  const { data } = useCall([key, 'palette', kind, q], contract, { query: { ...query, q } }, options);
  return (data?.value ?? []).flatMap((row): Command[] => {
    const name = resource.name(row);
    const about = { group, keywords: resource.keywords(row) };
    return [
      ...(page ? [{ ...about, id: `${kind}:${row.id}`, ...page(row) }] : []),
      ...listOffered(actions, row, self).map(([id, action]) => ({
        group,
        id: `${kind}.${id}:${row.id}`,
        label: action.command?.(row) ?? `${labelAction(action, row).replace('…', '')}: ${name}`,
        icon: action.icon,
        keywords: [...(action.keywords ?? []), ...about.keywords],
        note: action.note?.(row),
        needs: action.needs,
        run: () => run(action, row),
      })),
      ...(target ? [createChangesCommand(about, target(row), name)] : []),
    ];
  });
}

/** Commands that ask for the key. */
const KEY_VERBS = Object.entries(KEYS.actions).flatMap(([verb, { stage: label, icon, keywords, needs }]): Command[] =>
  label === undefined
    ? []
    : [
        {
          id: `key.${verb}`,
          group: KEYS.group,
          label,
          icon,
          keywords,
          needs,
          stage: { of: 'key', title: label, verb },
        },
      ],
);

/** Commands for the rows of every resource that the search names. */
export function useResourceCommands(search: string, stage: Stage | null) {
  const keys = useRowCommands(KEYS, search, stage?.of === 'key');
  const limits = useLimitCommands(search);
  const others = [
    useRowCommands(MEMBERS, search),
    useRowCommands(TOKENS, search),
    useRowCommands(ENTRIES, search),
    useRowCommands(OVERRIDES, search),
    useRowCommands(GRANTS, search),
  ];
  return {
    verbs: KEY_VERBS,
    named: search.trim().length >= 2 ? [keys, ...others, limits].flat() : [],
    /** The staged operation for each key. */
    staged: keys.filter(({ id }) => id.startsWith(`key.${stage?.verb}:`)),
  };
}
