import { endIncident } from '@/lib/admin/incident/end';
import { getIncident } from '@/lib/admin/incident/get';
import { setIncident } from '@/lib/admin/incident/set';
import { route } from '@/lib/process/route';
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route(getIncident, setIncident, endIncident);
