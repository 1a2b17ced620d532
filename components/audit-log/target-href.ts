import { buildInspectHref } from '@/components/links/target';
import type { AuditRecord } from '@/lib/contract/audit-log';
import { CallerTypeSchema } from '@/lib/contract/fields/enumerations';
import { isJsonObject } from '@/lib/json';

/** Returns the page of a change's target. Null if it has no page. */
export function findTargetHref({ action, target_type, target, before, after }: AuditRecord): string | null {
  switch (target_type) {
    case 'api_key':
      return `/keys/${target}`;
    case 'allowlist':
    case 'override':
    case 'counters': {
      const fields = [after, before].find(isJsonObject);
      const type = CallerTypeSchema.safeParse(fields?.type).data;
      if (type && type !== 'api_key') return buildInspectHref({ type, identifier: target });
      return fields?.type === 'api_key' ? `/keys/${target}` : null;
    }
    case 'limit':
      return '/limits#named-limits';
    case 'policies':
      return '/limits';
    case 'route_rules':
      return '/limits?tab=routes';
    case 'member':
      return '/settings?tab=members';
    case 'token':
      return '/settings';
    case 'assessment':
      return action === 'assessment.remove' ? '/oauth/assessments' : `/oauth/assessments/${target}`;
    default:
      return null;
  }
}
