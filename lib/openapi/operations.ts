import { auditLab } from '@/lib/admin/lab/assess-lab';
import { auditServer } from '@/lib/admin/lab/assess-server';
import { playLabReplay } from '@/lib/admin/lab/play-replay';
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
