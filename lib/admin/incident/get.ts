import { readIncidentInForce } from '@/lib/admin/incident/stored';
import { getIncident as contract } from '@/lib/contract/incident';
import { implement } from '@/lib/operation/operation';

export const getIncident = implement(contract, ({ services, now }) => readIncidentInForce(services.database, now));
