import { auditLab } from '@/lib/oauth/operations/audit-lab';
import { auditServer } from '@/lib/oauth/operations/audit-server';
import { playLabReplay } from '@/lib/oauth/operations/play-lab-replay';
import { ADMIN_OPERATIONS } from '@/lib/openapi/admin-operations';
import { DECISION_OPERATIONS } from '@/lib/openapi/decision-operations';
import type { DescribedOperation } from '@/lib/openapi/described-operation';
import { LAB_OPERATIONS } from '@/lib/openapi/lab-operations';
import { SERVICE_OPERATIONS } from '@/lib/openapi/service-operations';

/** Everything that can be asked of Sluice over HTTP. A test holds this list and the routes of `app` together. */
export const OPERATIONS: readonly DescribedOperation[] = [
  ...ADMIN_OPERATIONS,
  ...DECISION_OPERATIONS,
  ...LAB_OPERATIONS,
  auditLab,
  auditServer,
  playLabReplay,
  ...SERVICE_OPERATIONS,
];
