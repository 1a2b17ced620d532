import { Gauge, ScanSearch } from 'lucide-react';
import { buildInspectHref } from '@/components/links/target';
import { LIMIT_ACTIONS } from '@/components/named-limits/limit-actions';
import { describeNumbers } from '@/components/named-limits/limit-sentence';
import { useNamedLimits } from '@/components/named-limits/limits';
import type { Command } from '@/components/palette/command';
import { createChangesCommand } from '@/components/palette/create-changes-command';
import { extractName } from '@/components/palette/extract-name';
import { useRunAction } from '@/components/shell/action';
import { LimitSubject } from '@/lib/contract/fields/named-limit';

const GROUP = 'Named limits';

/** Commands for the named limits that the search names, and for the subject that it may be. */
export function useLimitCommands(search: string): Command[] {
  const run = useRunAction();
  const text = search.trim();
  const limits = useNamedLimits({ enabled: text.length >= 2 }).data?.value ?? [];
  if (text.length < 2 || limits.length === 0) return [];
  const word = extractName(text).toLowerCase();
  const named = limits.filter(({ name }) => word !== '' && name.includes(word)).slice(0, 5);
  const commands = named.flatMap((limit): Command[] => {
    const { id, name, description } = limit;
    const about = { group: GROUP, keywords: [name, description, 'limit'] };
    return [
      {
        ...about,
        id: `limit:${id}`,
        label: name,
        icon: Gauge,
        note: describeNumbers(limit),
        href: '/limits#named-limits',
      },
      ...Object.entries(LIMIT_ACTIONS).map(
        ([verb, action]): Command => ({
          group: GROUP,
          id: `limit.${verb}:${id}`,
          label: action.command(limit),
          icon: action.icon,
          keywords: [...action.keywords, ...about.keywords],
          needs: action.needs,
          run: () => run(action, limit),
        }),
      ),
      createChangesCommand(about, name, `the limit ${name}`),
    ];
  });
  if (!LimitSubject.safeParse(text).success) return commands;
  return [
    ...commands,
    {
      id: `inspect:subject:${text}`,
      group: 'Find it',
      label: `Inspect the subject “${text}” of named limits`,
      icon: ScanSearch,
      href: buildInspectHref({ type: 'subject', identifier: text }),
      last: true,
    },
  ];
}
