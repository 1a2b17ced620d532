import { Cpu, FileDown, type LucideIcon, MessageSquareText } from 'lucide-react';
import type { NamedLimit } from '@/lib/contract/named-limits';

interface Template {
  icon: LucideIcon;
  label: string;
  text: string;
  limit: Partial<NamedLimit>;
}

/** Limits to start from. */
export const LIMIT_TEMPLATES = {
  sms: {
    icon: MessageSquareText,
    label: 'SMS codes by phone number',
    text: 'One code in 30 seconds, five in an hour.',
    limit: {
      name: 'sms',
      description: 'Codes by text message, for each phone number',
      unit: 'codes',
      windows: [
        { limit: 1, seconds: 30 },
        { limit: 5, seconds: 3_600 },
      ],
    },
  },
  tokens: {
    icon: Cpu,
    label: 'Tokens by API key',
    text: 'Reserve an estimate, settle what the model used.',
    limit: {
      name: 'tokens',
      description: 'Tokens of the language model, for each API key',
      unit: 'tokens',
      windows: [
        { limit: 100_000, seconds: 60 },
        { limit: 2_000_000, seconds: 86_400 },
      ],
      on_store_failure: 'local',
    },
  },
  exports: {
    icon: FileDown,
    label: 'Exports in flight',
    text: 'Two at once, for each user.',
    limit: {
      name: 'exports',
      description: 'Exports that run at the same time, for each user',
      unit: 'exports',
      in_flight: { limit: 2, lease_seconds: 600 },
    },
  },
} as const satisfies Record<string, Template>;
export type LimitTemplate = keyof typeof LIMIT_TEMPLATES;
