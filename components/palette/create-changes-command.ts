import { History } from 'lucide-react';
import { buildHistoryHref } from '@/components/links/history-link';
import type { Command } from '@/components/palette/command';

/**
 * Command that lists every change to an object.
 * @param target the name of the object in the audit log
 */
export function createChangesCommand(
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
    href: buildHistoryHref(target),
  };
}
