import { History } from 'lucide-react';
import { historyHref } from '@/components/links/history-link';
import type { Command } from '@/components/palette/command';

/** Everything that was done to an object. @param target as the audit log names it */
export function changesOf(
  { group, keywords = [] }: Pick<Command, 'group' | 'keywords'>,
  target: string,
  name: string,
): Command {
  return {
    id: `changes:${target}`,
    group,
    label: `Changes to ${name}`,
    icon: History,
    keywords: ['audit', 'history', 'what was done', ...keywords],
    href: historyHref(target),
  };
}
